"""Tensors that are spread over processes: what this one holds of them, and the way back."""

from __future__ import annotations

import sys
from typing import Any

import torch

from ...interface.processes import Placed


def placed(array: torch.Tensor) -> Placed | None:
    """Return what this process holds of a DTensor; None for a tensor that is whole.

    A sum that is left to be added up is added up first, and the record leads through that.
    """
    tensors: Any = sys.modules.get("torch.distributed.tensor")
    if tensors is None or not isinstance(array, tensors.DTensor):
        return None
    dtensor: Any = array
    mesh = dtensor.device_mesh
    if any(one.is_partial() for one in dtensor.placements):
        whole = [tensors.Replicate() if one.is_partial() else one for one in dtensor.placements]
        dtensor = dtensor.redistribute(mesh, whole)
    placements, shape, stride = dtensor.placements, dtensor.shape, dtensor.stride()
    coordinate = mesh.get_coordinate() or []
    shard = tuple(
        (dimension, where)
        for dimension, (one, where) in enumerate(zip(placements, coordinate, strict=False))
        if not one.is_replicate()
    )

    def rebuilt(local: torch.Tensor) -> Any:
        return tensors.DTensor.from_local(
            local, mesh, placements, run_check=False, shape=shape, stride=stride
        )

    return Placed(dtensor.to_local(), sum(shard, ()), mesh.size(), rebuilt)
