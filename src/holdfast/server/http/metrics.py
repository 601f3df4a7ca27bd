"""Figures for Prometheus: counters, gauges and one histogram, in its text form."""

import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from threading import Lock

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
REQUESTS = "holdfast_http_requests_total"
SECONDS = "holdfast_http_request_seconds"
SOCKETS = "holdfast_sockets"
CACHE = "holdfast_workspace_cache_total"
EVENTS_SENT = "holdfast_events_sent_total"
EVENTS_DROPPED = "holdfast_events_dropped_total"
RUNS = "holdfast_runs_active"
OPEN_WORKSPACES = "holdfast_workspaces_open"
KNOWN: Mapping[str, tuple[str, str]] = {
    REQUESTS: ("counter", "Requests answered."),
    SECONDS: ("histogram", "How long answers took."),
    SOCKETS: ("gauge", "Open sockets."),
    EVENTS_SENT: ("counter", "Messages sent to sockets."),
    EVENTS_DROPPED: ("counter", "Messages that a slow socket did not get; it is told to begin again."),
    CACHE: ("counter", "Requests by what their workspace was: a hit, stale (read again), a miss; and evictions."),
    OPEN_WORKSPACES: ("gauge", "Workspaces loaded now."),
    RUNS: ("gauge", "Runs going on."),
    "process_resident_memory_bytes": ("gauge", "Memory that the process holds."),
    "process_open_fds": ("gauge", "Files and sockets that the process has open."),
    "process_start_time_seconds": ("gauge", "When the process began."),
}

Labels = tuple[tuple[str, str], ...]


class Metrics:
    """What is counted, from any thread. Names are those of `KNOWN`; labels never hold captured text."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._begun = time.time()
        self._values: dict[str, dict[Labels, float]] = defaultdict(lambda: defaultdict(float))
        self._times: dict[Labels, list[float]] = {}
        self._read: dict[str, Callable[[], float]] = {
            "process_resident_memory_bytes": _read_resident_bytes,
            "process_open_fds": _open_files,
            "process_start_time_seconds": lambda: self._begun,
        }

    def count(self, name: str, amount: float = 1, /, **labels: str) -> None:
        """Add to a counter or a gauge."""
        with self._lock:
            self._values[_check_name(name)][tuple(sorted(labels.items()))] += amount

    def watch(self, name: str, read: Callable[[], float], /) -> None:
        """Have a gauge read whenever it is asked for."""
        self._read[_check_name(name)] = read

    def cache(self, what: str) -> None:
        """Count what a request met: a `hit`, a `miss`, a `stale` workspace; or an `eviction`."""
        self.count(CACHE, what=what)

    def took(self, seconds: float, /, **labels: str) -> None:
        """Note how long an answer took."""
        with self._lock:
            times = self._times.setdefault(tuple(sorted(labels.items())), [0.0] * (len(BUCKETS) + 2))
            for at, most in enumerate(BUCKETS):
                times[at] += seconds <= most
            times[-2] += 1
            times[-1] += seconds

    def value(self, name: str, /, **labels: str) -> float:
        """One figure as it is now; without labels, all of a name together."""
        with self._lock:
            held = self._values.get(_check_name(name), {})
            return held.get(tuple(sorted(labels.items())), 0.0) if labels else sum(held.values())

    def text(self) -> str:
        """All figures, as Prometheus reads them."""
        with self._lock:
            return "".join(f"{line}\n" for line in self._lines())

    def _lines(self) -> Iterator[str]:
        for name, (kind, about) in KNOWN.items():
            yield f"# HELP {name} {about}"
            yield f"# TYPE {name} {kind}"
            if kind == "histogram":
                yield from self._histogram(name)
            elif name in self._read:
                yield f"{name} {self._read[name]():.17g}"
            else:
                held = self._values.get(name) or {(): 0.0}
                yield from (f"{name}{_labels(labels)} {value:.17g}" for labels, value in sorted(held.items()))

    def _histogram(self, name: str) -> Iterator[str]:
        for labels, times in sorted(self._times.items()):
            for at, most in enumerate(BUCKETS):
                yield f"{name}_bucket{_labels((*labels, ('le', f'{most:g}')))} {times[at]:.0f}"
            yield f"{name}_bucket{_labels((*labels, ('le', '+Inf')))} {times[-2]:.0f}"
            yield f"{name}_count{_labels(labels)} {times[-2]:.0f}"
            yield f"{name}_sum{_labels(labels)} {times[-1]:.6f}"


def _check_name(name: str) -> str:
    if name not in KNOWN:
        raise KeyError(f"no metric {name!r}")
    return name


def _labels(labels: Labels) -> str:
    said = ",".join(f'{name}="{_escape_label(value)}"' for name, value in labels)
    return f"{{{said}}}" if said else ""


def _escape_label(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _read_resident_bytes() -> float:
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return float(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0.0


def _open_files() -> float:
    for folder in ("/proc/self/fd", "/dev/fd"):
        try:
            return float(len(os.listdir(folder)))
        except OSError:
            continue
    return 0.0
