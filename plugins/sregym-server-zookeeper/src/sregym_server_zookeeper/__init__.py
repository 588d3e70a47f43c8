"""What a ZooKeeper server keeps, answers and writes, and the commands that come with it."""
