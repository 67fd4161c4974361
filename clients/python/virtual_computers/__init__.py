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
    VirtualComputersError,
    WebhookVerificationError,
)
from ._events import EventType
from ._models import (
    BatchResult,
    CommandResult,
    ComputerInfo,
    Connection,
    Control,
    ControlHolder,
    ControlState,
    Creator,
    Delivery,
    Element,
    Elements,
    FileEntry,
    FileWritten,
    Image,
    Job,
    Key,
    Mark,
    MarkedScreenshot,
    Me,
    Mount,
    Owner,
    ProcessExit,
    Project,
    Publication,
    PythonResult,
    Resolution,
    Run,
    RunTask,
    Secret,
    Settled,
    Snapshot,
    Stats,
    Trajectory,
    View,
    Volume,
    WaitResult,
    Webhook,
)
from ._connection import AsyncPortConnection, PortConnection
from ._process import AsyncProcess, Process
from ._sync import Computer, VirtualComputers
from ._webhooks import verify_webhook

__version__ = "0.1.0"

__all__ = [
    "AsyncComputer",
    "AsyncPortConnection",
    "AsyncProcess",
    "AsyncVirtualComputers",
    "BatchResult",
    "CommandError",
    "CommandResult",
    "Computer",
    "ComputerInfo",
    "ComputerStartError",
    "Connection",
    "Control",
    "ControlHolder",
    "ControlState",
    "Creator",
    "Delivery",
    "Element",
    "Elements",
    "EventType",
    "FileEntry",
    "FileWritten",
    "Image",
    "Job",
    "Key",
    "Mark",
    "MarkedScreenshot",
    "Me",
    "Mount",
    "Owner",
    "PortConnection",
    "Process",
    "ProcessExit",
    "Project",
    "Publication",
    "PythonResult",
    "Resolution",
    "Run",
    "RunTask",
    "Secret",
    "ServiceError",
    "ServiceTimeoutError",
    "ServiceUnreachableError",
    "Settled",
    "SettingsError",
    "Snapshot",
    "Stats",
    "Trajectory",
    "View",
    "VirtualComputers",
    "VirtualComputersError",
    "Volume",
    "WaitResult",
    "Webhook",
    "WebhookVerificationError",
    "verify_webhook",
]
