"""within.py SECONDS STATUS COMMAND...: the command must end with the status, and within the time. Builds with sanitizers
and machines with other work get four times as long."""
import subprocess
import sys
import time

begin = time.monotonic()
status = subprocess.run(sys.argv[3:], check=False, timeout=60).returncode
seconds = time.monotonic() - begin
if status != int(sys.argv[2]):
    sys.exit(f"exit status {status} instead of {sys.argv[2]}")
if seconds > 4 * float(sys.argv[1]):
    sys.exit(f"{seconds:.2f} s instead of {sys.argv[1]}")
