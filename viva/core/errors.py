"""The errors of viva, in families with different retry policies.

VivaError
|-- UsageError          the user can correct it: what was wrong, what is allowed, the next command
|   |-- RunLocked       another process uses the run folder
|   |-- RunMismatch     the run folder belongs to other documents, settings or another schema
|   |-- DiskFull          a disk, a quota or a limit on the size of files is full
|   `-- BudgetReached   the allowed money, tokens or calls are used up
|-- TransientError      the same call may succeed later
|   `-- ModelAway       a language model that viva asks does not answer
`-- RoleFailed          a role could not do its work on one unit: it is counted, and the run continues
"""

from __future__ import annotations


class VivaError(Exception):
    """Base class of all errors that viva raises."""


class UsageError(VivaError):
    """An error that the user can correct.

    `problem` says what was wrong, `allowed` what is accepted, `next_step` what to do.
    """

    def __init__(self, problem: str, *, allowed: str = "", next_step: str = "") -> None:
        self.problem = problem
        self.allowed = allowed
        self.next_step = next_step
        super().__init__(" ".join(part for part in (problem, allowed, next_step) if part))

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle all parts, so that the error can come from another process."""
        return _made_again, (type(self), self.problem, self.allowed, self.next_step)


def _made_again(kind: type[UsageError], problem: str, allowed: str, next_step: str) -> UsageError:
    error = kind.__new__(kind)
    UsageError.__init__(error, problem, allowed=allowed, next_step=next_step)
    return error


class RunLocked(UsageError):
    """Another process uses the run folder."""


class RunMismatch(UsageError):
    """The run folder holds a run of other documents, other settings or another schema."""


class DiskFull(UsageError):
    """A file could not be written, because the disk, a quota or a limit on file sizes is full."""

    def __init__(self, where: object, why: str) -> None:
        super().__init__(
            f"There is no room to write {where}: {why}.",
            allowed="All earlier work is kept, and nothing is damaged.",
            next_step="Free some space, then run the same command again: it continues where it stopped.",
        )


class BudgetReached(UsageError):
    """The allowed money, tokens or calls are used up; no model is asked until more is allowed."""

    result: object = None
    """what a call of viva.api had found by then"""


class TransientError(VivaError):
    """A failure that may pass by itself, such as of a connection, a timeout or a rate limit."""


class ModelAway(TransientError):
    """A language model that viva asks does not answer: a failure of no system that is examined."""


class RoleFailed(VivaError):
    """A role could not do its work: its model refused, gave no answer, or gave one that cannot be read.

    `code` is the short name under which it is counted; `reason` is a sentence.
    """

    def __init__(self, code: str, reason: str) -> None:
        self.code = code
        self.reason = reason
        super().__init__(f"{code}: {reason}")


def how_to_install(extra: str) -> str:
    """The command that installs an extra: viva is in no package index, but in the folder that it came in."""
    return f"In viva's folder: pip install -e '.[{extra}]'"
