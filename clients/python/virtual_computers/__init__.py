"""
Python client of vc.

    from virtual_computers import VirtualComputers

    with VirtualComputers() as vc:
        vc.projects.create("lab")
        with vc.computers.create("lab", "desk") as desk:
            desk.type("hello", settle=True)
            desk.screenshot("screen.png")
"""

from ._async import AsyncComputer, AsyncVirtualComputers
from ._errors import (
    CommandError,
    ComputerStartError,
    ServiceError,
    ServiceTimeoutError,
    ServiceUnreachableError,
    SettingsError,
    UntrustedListenerError,
    VirtualComputersError,
)
from ._models import (
    BatchResult,
    CommandResult,
    ComputerInfo,
    FileEntry,
    FileWritten,
    Job,
    Key,
    Me,
    Owner,
    ProcessExit,
    Project,
    PythonResult,
    Resolution,
    Settled,
    Stats,
    View,
    WaitResult,
)
from ._process import AsyncProcess, Process
from ._sync import Computer, VirtualComputers

__version__ = "0.1.0"

__all__ = [
    "AsyncComputer",
    "AsyncProcess",
    "AsyncVirtualComputers",
    "BatchResult",
    "CommandError",
    "CommandResult",
    "Computer",
    "ComputerInfo",
    "ComputerStartError",
    "FileEntry",
    "FileWritten",
    "Job",
    "Key",
    "Me",
    "Owner",
    "Process",
    "ProcessExit",
    "Project",
    "PythonResult",
    "Resolution",
    "ServiceError",
    "ServiceTimeoutError",
    "ServiceUnreachableError",
    "Settled",
    "SettingsError",
    "Stats",
    "UntrustedListenerError",
    "View",
    "VirtualComputers",
    "VirtualComputersError",
    "WaitResult",
]
