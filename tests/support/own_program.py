"""A RAG as a program: JSON lines in, JSON lines out. Its first argument says how it behaves."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

how = sys.argv[1] if len(sys.argv) > 1 else "good"
started = time.time_ns()


def say(**told: object) -> None:
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()


def leak() -> None:
    hoard = []
    while True:
        hoard.append(bytearray(1_000_000))


child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"]) if how == "child" else None
held = []
for number, line in enumerate(sys.stdin):
    asked = json.loads(line)
    if child:
        say(id=asked["id"], answer=str(child.pid))
    elif how == "good":
        say(
            id=asked["id"],
            answer="B",
            passages=[{"text": "It holds 30 litres.", "id": "t-1"}],
            usage={"input_tokens": 9},
        )
    elif how.startswith("nested"):
        levels = int(how.split()[1])
        deep = "[" * levels + "]" * levels
        sys.stdout.write(f'{{"id": {deep}, "answer": "B", "m": {deep}}}\n')
        sys.stdout.flush()
    elif how == "echo":
        say(id=asked["id"], answer=json.dumps({**asked, "pid": os.getpid(), "started": started}))
    elif how == "environment":
        say(id=asked["id"], answer=f"{os.environ.get('MY_INDEX')} in {Path.cwd().name}")
    elif how == "variables":
        say(id=asked["id"], answer=" ".join(os.environ))
    elif how == "backwards":
        held.append(asked)
        if len(held) == 3:
            for each in reversed(held):
                say(id=each["id"], answer=each["stem"])
    elif how == "languages":
        sys.stdout.buffer.write(
            json.dumps({"id": asked["id"], "answer": "灯塔 المنارة 🗼"}, ensure_ascii=False).encode()
        )
        sys.stdout.buffer.write(b"\n")
        sys.stdout.flush()
    elif how == "leaks":
        leak()
    elif how == "hangs":
        time.sleep(300)
    elif how == "slow for one":
        time.sleep(0.3 if asked["stem"] == "one" else 0)
        say(id=asked["id"], answer=str(os.getpid()))
    elif how == "dies":
        print("loading", "no index at all", sep="\n", file=sys.stderr)  # noqa: T201
        sys.exit(3)
    elif how == "dies on the second":
        if number:
            os.abort()
        say(id=asked["id"], answer=str(os.getpid()))
    elif how == "closes":
        os.close(1)
        time.sleep(300)
    elif how == "prints":
        print("Loading the model …")  # noqa: T201
        say(id=asked["id"], answer="B")
    elif how == "other id":
        say(id="another", answer="B")
    elif how == "no id":
        say(answer="B")
    elif how == "long line":
        say(id=asked["id"], answer="x" * 3_000_000)
    elif how == "long":
        say(id=asked["id"], answer="x" * 30_000, passages=["y" * 30_000] * 60)
    elif how == "no answer":
        say(id=asked["id"], answer=None)
    elif how == "a number":
        say(id=asked["id"], answer=7)
    elif how == "a truth value":
        say(id=asked["id"], answer=True)
    elif how == "a list":
        print([1, 2])  # noqa: T201
        sys.stdout.flush()
    elif how == "an error":
        say(id=asked["id"], error="the index is empty")
    elif how == "shouts":
        sys.stderr.write("z" * 5_000_000)
        sys.stderr.flush()
        say(id=asked["id"], answer="B")
