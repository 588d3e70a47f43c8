"""What a RabbitMQ broker keeps and writes, and the commands that come with it."""
