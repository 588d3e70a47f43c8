"""What a Kafka broker keeps, and the commands that come with it."""
