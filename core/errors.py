"""Two families of error, so that the retry policy is one line.

VivaError
|-- UsageError          the person can mend it: what was wrong, what is allowed, the next command
|   |-- RunLocked       another process works on the run folder
|   |-- RunMismatch     the run folder belongs to other documents, settings or another schema
|   |-- DiskFull          a disk, a quota or a limit on the size of files is full
|   `-- BudgetReached   the money, tokens or calls that were allowed are spent
|-- TransientError      nobody's fault: the same call may go through later
`-- RoleFailed          a role could not do its work on one unit: counted, and the walk goes on
"""

from __future__ import annotations


class VivaError(Exception):
    """Anything viva raises on purpose."""


class UsageError(VivaError):
    """Something the person who typed the command can mend.

    `problem` says what was wrong, `allowed` what would have been accepted, `next_step` what to do.
    """

    def __init__(self, problem: str, *, allowed: str = "", next_step: str = "") -> None:
        self.problem = problem
        self.allowed = allowed
        self.next_step = next_step
        super().__init__(" ".join(part for part in (problem, allowed, next_step) if part))

    def __reduce__(self) -> tuple[object, ...]:
        """Pickled whole, so that it may cross over from another process."""
        return _made_again, (type(self), self.problem, self.allowed, self.next_step)


def _made_again(kind: type[UsageError], problem: str, allowed: str, next_step: str) -> UsageError:
    error = kind.__new__(kind)
    UsageError.__init__(error, problem, allowed=allowed, next_step=next_step)
    return error


class RunLocked(UsageError):
    """Another process works on the run folder."""


class RunMismatch(UsageError):
    """The run folder holds a run of other documents, other settings or another schema."""


class DiskFull(UsageError):
    """Something could not be written, for the disk, a quota or a limit on the size of files is full."""

    def __init__(self, where: object, why: str) -> None:
        super().__init__(
            f"There is no room to write {where}: {why}.",
            allowed="What was done before is kept, and nothing is damaged.",
            next_step="Make room, then give the same command again: it goes on from there.",
        )


class BudgetReached(UsageError):
    """The money, tokens or calls that were allowed are spent; nothing more is asked until more is allowed."""


class TransientError(VivaError):
    """A failure that may pass by itself (connection, timeout, rate limit)."""


class RoleFailed(VivaError):
    """A role could not do its work: its model refused, answered unreadably, or gave no answer.

    `code` is the short name under which it is counted, `reason` says it in words.
    """

    def __init__(self, code: str, reason: str) -> None:
        self.code = code
        self.reason = reason
        super().__init__(f"{code}: {reason}")
