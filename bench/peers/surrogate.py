"""The network of bench/bench_surrogate.c in PyTorch on one thread: rows a second of processor time.

Needs torch, in a virtual environment outside the repository.
"""
import time

import torch

BATCH, ROUNDS = 256, 400
torch.set_num_threads(1)
torch.manual_seed(1)
net = torch.nn.Sequential(
    torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 256), torch.nn.ReLU(),
    torch.nn.Linear(256, 2))
adam = torch.optim.Adam(net.parameters(), lr=1e-3)
x, y = torch.rand(BATCH, 64) - 0.5, torch.rand(BATCH, 2)


def learn():
    adam.zero_grad()
    torch.nn.functional.mse_loss(net(x), y).backward()
    adam.step()


def forecast():
    with torch.no_grad():
        net(x)


def rate(what):
    begin = time.process_time()
    for _ in range(ROUNDS):
        what()
    return ROUNDS * BATCH / (time.process_time() - begin)


rate(learn)
for _ in range(3):
    print(f"learned {rate(learn):.0f}, forecast {rate(forecast):.0f} "
          "rows a second of processor time")
