"""Publishes the message in a file: python3 producer.py message.json"""

import sys

from client import Connection

with open(sys.argv[1] if len(sys.argv) > 1 else "message.json", "rb") as file:
    status, response = Connection().call("messages", file.read())
print(status, response.decode())
sys.exit(0 if status in (200, 202) else 1)
