"""abort.py CAKEC: SIGABRT, as LLVM raises it, must end in status 4 with a message."""
import signal
import subprocess
import sys
import time

with subprocess.Popen([sys.argv[1], "check", "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
    process.stdin.write(b"target ")
    process.stdin.flush()
    while True:  # it waits for the rest once it has taken the first bytes
        time.sleep(0.05)
        with open(f"/proc/{process.pid}/wchan", encoding="ascii") as file:
            if "pipe" in file.read() or time.monotonic() > 1e9:
                break
    process.send_signal(signal.SIGABRT)
    message = process.stderr.read()
if process.returncode != 4 or b"internal error" not in message:
    sys.exit(f"status {process.returncode}, {message!r}")
