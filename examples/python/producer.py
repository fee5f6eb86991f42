"""Publishes the message in a file: python3 producer.py message.json"""

import sys

from client import Connection

with open(sys.argv[1] if len(sys.argv) > 1 else "message.json", "rb") as file:
    status, answer = Connection().call("messages", file.read())
print(status, answer.decode())
sys.exit(0 if status in (200, 202) else 1)
