"""What an etcd server keeps and writes, and the command `etcdctl`."""
