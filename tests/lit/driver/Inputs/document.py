"""document.py STATUS PATTERN COMMAND...: the command must end with the status and print one JSON document, alone on
standard output and with nothing on standard error, that holds the pattern: of objects the members named, of lists all
items in order. An argument 'bytes:HEX' stands for these bytes."""
import json
import subprocess
import sys


def differences(pattern, value, path):
    if isinstance(pattern, dict) and isinstance(value, dict):
        for key in pattern:
            if key not in value:
                yield f"{path}.{key} is missing"
            else:
                yield from differences(pattern[key], value[key], f"{path}.{key}")
    elif isinstance(pattern, list) and isinstance(value, list) and len(pattern) == len(value):
        for index, item in enumerate(pattern):
            yield from differences(item, value[index], f"{path}[{index}]")
    elif pattern != value:
        yield f"{path} is {value!r}, not {pattern!r}"


status, pattern = int(sys.argv[1]), json.loads(sys.argv[2])
command = [bytes.fromhex(word[6:]) if word.startswith("bytes:") else word for word in sys.argv[3:]]
done = subprocess.run(command, capture_output=True, check=False)
print(done.stdout.decode())
findings = list(differences({"schema": 1, **pattern}, json.loads(done.stdout), "document"))
if done.returncode != status:
    findings.append(f"exit status {done.returncode} instead of {status}")
if done.stderr:
    findings.append(f"standard error: {done.stderr!r}")
if findings:
    sys.exit("\n".join(findings))
