"""fifo.py PATH COMMAND...: makes a pipe at PATH, runs the command and prints what it wrote there."""
import os
import stat
import subprocess
import sys

path, command = sys.argv[1], sys.argv[2:]
os.mkfifo(path)
with subprocess.Popen(command) as process:
    with open(path, "rb") as pipe:
        sys.stdout.buffer.write(pipe.read())
if not stat.S_ISFIFO(os.stat(path).st_mode):
    sys.exit("the pipe was replaced")
os.unlink(path)
sys.exit(process.returncode)
