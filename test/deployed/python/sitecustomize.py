"""Sends the connections of Amazon's command line to hosts of AWS to the emulator on this machine."""

import os
import re
import socket

PORT = os.environ.get("EMULATOR_PORT")
AWS = re.compile(r"\.(amazonaws|amazoncognito)\.com$")
resolve = socket.getaddrinfo


def resolved(host, port, *given, **named):
    if PORT and isinstance(host, str) and AWS.search(host):
        return resolve("127.0.0.1", int(PORT), *given, **named)
    return resolve(host, port, *given, **named)


socket.getaddrinfo = resolved
