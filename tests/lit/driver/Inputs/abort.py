"""abort.py CAKEC: SIGABRT, as LLVM raises it, must end in status 4 with a message."""
import array
import fcntl
import signal
import subprocess
import sys
import termios
import time

with subprocess.Popen([sys.argv[1], "check", "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
    process.stdin.write(b"target ")
    process.stdin.flush()
    unread = array.array("i", [1])
    while unread[0]:  # once these bytes are taken it waits for more
        time.sleep(0.01)
        fcntl.ioctl(process.stdin, termios.FIONREAD, unread)
    process.send_signal(signal.SIGABRT)
    message = process.stderr.read()
if process.returncode != 4 or b"internal error" not in message:
    sys.exit(f"status {process.returncode}, {message!r}")
