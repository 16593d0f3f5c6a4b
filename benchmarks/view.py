"""How quickly does the viewer open a large run, and what memory does it take?

    python benchmarks/view.py [UNITS ITEMS EXAMINEES]

Makes a run of so many (5,000, 2,000, 40), serves it, asks for each page 20 times and prints the 95th percentile of
the seconds, the size of the page and the memory of the server at the end.
"""

from __future__ import annotations

import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests/support"))

from view_run import made_run

TIMES = 20
PAGES = [
    *(
        "",
        "/units",
        "/units?fate=rejected&code=code3",
        "/units?q=gate",
        "/items",
        "/items?sort=difficulty",
        "/systems",
    ),
    *("/systems/e7", "/compare?a=e1&b=e2", "/map", "/oral", "/judges", "/label"),
]


def main(units: int = 5000, items: int = 2000, examinees: int = 40) -> None:
    """Make, serve, ask, print."""
    with tempfile.TemporaryDirectory() as place:
        started = time.perf_counter()
        run = made_run(Path(place) / "run", units=units, items=items, examinees=examinees, open_items=items // 20)
        print(f"made in {time.perf_counter() - started:.0f} s: {units} units, {items} questions, {examinees} systems")
        # a run that commands made has its sample of chunks on record: here it is drawn now
        subprocess.run([sys.executable, "-m", "viva", "show", str(run)], check=True, stdout=subprocess.DEVNULL)
        command = [sys.executable, "-m", "viva", "view", str(run), "--port", "0", "--no-browser"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            address = server.stdout.readline().strip().rstrip("/")
            seconds, size = asked(f"{address}/")
            print(f"the first page, which reads the run: {seconds:.2f} s")
            item = re.findall(r'href="(/run/0/items/[0-9a-f]+)"', text(f"{address}/run/0/items"))[0]
            unit = re.findall(r'href="(/run/0/units/[0-9a-f]+)"', text(f"{address}/run/0/units"))[0]
            worst = 0.0
            for page in [*(f"/run/0{each}" for each in PAGES), item, unit]:
                found = [asked(f"{address}{page}") for _ in range(TIMES)]
                times, size = sorted(each for each, _ in found), found[0][1]
                p95 = statistics.quantiles(times, n=20)[18]
                worst = max(worst, p95)
                print(f"{re.sub('[0-9a-f]{12,}', 'ID', page):45} p95 {p95:.3f} s {size / 1000:8.1f} kB")
            print(f"slowest p95 {worst:.3f} s; memory of the server {memory(server.pid):.0f} MiB at most")
        finally:
            server.terminate()
            server.wait()


def asked(address: str) -> tuple[float, int]:
    """Seconds and bytes of one answer."""
    started = time.perf_counter()
    size = len(text(address))
    return time.perf_counter() - started, size


def text(address: str) -> str:
    """The page."""
    with urllib.request.urlopen(address) as answer:
        return str(answer.read().decode())


def memory(process: int) -> float:
    """MiB that the process held at most, by /proc."""
    told = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{process}/status").read_text())
    return int(told[1]) / 1024 if told else float("nan")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]))
