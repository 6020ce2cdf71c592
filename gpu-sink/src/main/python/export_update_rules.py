"""Writes update-rules.pt: PyTorch's fused optimizer kernels, and operations on gradients before them, as a TorchScript module
that Millrace calls once per update.

    python export_update_rules.py ../resources/io/millrace/train/update/update-rules.pt

Made with torch 2.13.0. It must load in the libtorch that DJL includes (2.7.1), so use no newer operators.
Every tensor list is an argument: updates made to a list that is built inside a script were seen to be lost.
"""
import sys
from typing import List

import torch


class UpdateRules(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x

    @torch.jit.export
    def sgd(self, weights: List[torch.Tensor], gradients: List[torch.Tensor], momenta: List[torch.Tensor],
            rate: float, momentum: float, weight_decay: float, nesterov: bool) -> int:
        with torch.no_grad():
            # A velocity of zero gives in the first step what PyTorch's "is_first_step" does: v = g.
            if momentum == 0.0:
                torch._fused_sgd_(weights, gradients, [], weight_decay=weight_decay, momentum=0.0, lr=rate,
                                  dampening=0.0, nesterov=False, maximize=False, is_first_step=False)
            else:
                torch._fused_sgd_(weights, gradients, momenta, weight_decay=weight_decay, momentum=momentum, lr=rate,
                                  dampening=0.0, nesterov=nesterov, maximize=False, is_first_step=False)
            torch._foreach_zero_(gradients)
        return 0

    @torch.jit.export
    def adam(self, weights: List[torch.Tensor], gradients: List[torch.Tensor], means: List[torch.Tensor],
             squares: List[torch.Tensor], steps: List[torch.Tensor], rate: float, beta1: float, beta2: float,
             epsilon: float, weight_decay: float) -> int:
        with torch.no_grad():
            torch._fused_adam_(weights, gradients, means, squares, [], steps, lr=rate, beta1=beta1, beta2=beta2,
                               weight_decay=weight_decay, eps=epsilon, amsgrad=False, maximize=False)
            torch._foreach_zero_(gradients)
        return 0

    @torch.jit.export
    def adamw(self, weights: List[torch.Tensor], gradients: List[torch.Tensor], means: List[torch.Tensor],
              squares: List[torch.Tensor], steps: List[torch.Tensor], rate: float, beta1: float, beta2: float,
              epsilon: float, weight_decay: float) -> int:
        with torch.no_grad():
            torch._fused_adamw_(weights, gradients, means, squares, [], steps, lr=rate, beta1=beta1, beta2=beta2,
                                weight_decay=weight_decay, eps=epsilon, amsgrad=False, maximize=False)
            torch._foreach_zero_(gradients)
        return 0

    @torch.jit.export
    def scale(self, gradients: List[torch.Tensor], factor: float) -> int:
        with torch.no_grad():
            torch._foreach_mul_(gradients, factor)
        return 0

    @torch.jit.export
    def divide(self, gradients: List[torch.Tensor], counted: torch.Tensor, known: float) -> int:
        """By a sum, float64 [], that is on their device, and more that the host knows. The factor is rounded as scale's."""
        with torch.no_grad():
            weight = counted + known
            factor = torch.where(weight > 0.0, weight.reciprocal(), torch.ones_like(weight))
            torch._foreach_mul_(gradients, factor.to(torch.float32))
        return 0

    @torch.jit.export
    def clip(self, gradients: List[torch.Tensor], most: float) -> torch.Tensor:
        # torch.nn.utils.clip_grad_norm_: the factor stays on the device, so nobody waits for it. The result is the norm before.
        with torch.no_grad():
            norm = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(gradients, 2.0)), 2.0)
            torch._foreach_mul_(gradients, torch.clamp(most / (norm + 1e-6), max=1.0))
        return norm


if __name__ == "__main__":
    torch.jit.script(UpdateRules()).save(sys.argv[1])
