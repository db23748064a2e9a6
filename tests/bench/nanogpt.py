"""A loop as one would write it by hand after nanoGPT: its model, its batches, its optimizer, flat cross entropy.

Written for the bench from the published design (LayerNorm without bias, exact GELU, learned positions, tied head,
gradient clipping, cosine schedule, AdamW that is fused on a GPU only); shares no code with ours.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.bench.sizes import Size


class SelfAttention(nn.Module):
    """Fused q, k, v; causal."""

    def __init__(self, d: int, heads: int) -> None:
        super().__init__()
        self.c_attn = nn.Linear(d, 3 * d, bias=False)
        self.c_proj = nn.Linear(d, d, bias=False)
        self.heads = heads

    def forward(self, x: Tensor) -> Tensor:
        B, T, C = x.shape
        q, k, v = self.c_attn(x).split(C, dim=2)
        q, k, v = (part.view(B, T, self.heads, C // self.heads).transpose(1, 2) for part in (q, k, v))
        y = functional.scaled_dot_product_attention(q, k, v, attn_mask=None, dropout_p=0.0, is_causal=True)
        return self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C))


class Layer(nn.Module):
    """Pre-norm block."""

    def __init__(self, d: int, heads: int) -> None:
        super().__init__()
        self.ln_1 = nn.LayerNorm(d, bias=False)
        self.attn = SelfAttention(d, heads)
        self.ln_2 = nn.LayerNorm(d, bias=False)
        self.c_fc = nn.Linear(d, 4 * d, bias=False)
        self.c_proj = nn.Linear(4 * d, d, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attn(self.ln_1(x))
        return x + self.c_proj(functional.gelu(self.c_fc(self.ln_2(x))))


class GPT(nn.Module):
    """Tokens and positions in, flat cross entropy out."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.wte = nn.Embedding(size.V, size.d)
        self.wpe = nn.Embedding(size.T, size.d)
        self.h = nn.ModuleList(Layer(size.d, size.H) for _ in range(size.L))
        self.ln_f = nn.LayerNorm(size.d, bias=False)
        self.lm_head = nn.Linear(size.d, size.V, bias=False)
        self.lm_head.weight = self.wte.weight
        for name, p in self.named_parameters():
            if p.ndim == 2:
                nn.init.normal_(p, std=0.02 / (math.sqrt(2 * size.L) if name.endswith("c_proj.weight") else 1.0))

    def forward(self, ids: Tensor, targets: Tensor) -> Tensor:
        x = self.wte(ids) + self.wpe(torch.arange(ids.shape[1]))
        for layer in self.h:
            x = layer(x)
        logits = self.lm_head(self.ln_f(x))
        return functional.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1)


class Loop:
    """One step a call."""

    def __init__(self, size: Size) -> None:
        self.model = GPT(size)
        decay = [p for p in self.model.parameters() if p.dim() >= 2]
        rest = [p for p in self.model.parameters() if p.dim() < 2]
        groups = [{"params": decay, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0.0}]
        self.optimizer = torch.optim.AdamW(groups, lr=6e-4, betas=(0.9, 0.95))
        self.windows = size.windows()

    def step(self) -> None:
        """Batch, forward, backward, clip, update."""
        loss = self.model(*self.windows())
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
