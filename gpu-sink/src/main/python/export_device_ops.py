"""Writes device-ops.pt: operations on pictures on the engine's device, as a TorchScript module that Millrace calls.

    python export_device_ops.py ../resources/io/millrace/train/input/device-ops.pt

Made with torch 2.13.0. It must load in the libtorch that DJL includes (2.7.1), so use no newer operators. The same code runs
on the CPU and on a GPU; nothing in it waits for the device or reads from it, and no index that comes from data can
make a kernel fail.

Pixels are uint8 [rows, height, width, channels], and what is made of them equals what the data servers' kernels make of
each picture (io.millrace.image): where these use a fused multiplication and addition, both are done here in 64-bit floats,
in which the product is exact, and rounded once to 32 bits. No matrix products: how these round is a setting of the process.
"""
import sys
from typing import Final, List

import torch

class DeviceOps(torch.nn.Module):
    # The weights of io.millrace.image.ColorKernel; the second and third are the doubles that their 32-bit floats are.
    red: Final[float]
    green: Final[float]
    blue: Final[float]

    # io.millrace.image.ResampleTable
    fraction_bits: Final[int]

    # The changes of io.millrace.transform.JitterDraw; what is left is the hue.
    brightness: Final[int]
    contrast: Final[int]
    saturation: Final[int]

    def __init__(self):
        super().__init__()
        self.red = 0.2989
        self.green = 0.5870000123977661
        self.blue = 0.11400000005960464
        self.fraction_bits = 22
        self.brightness = 0
        self.contrast = 1
        self.saturation = 2

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x

    def sent(self, host: torch.Tensor, where: torch.Tensor) -> torch.Tensor:
        """A tensor of the host on a device: through page-locked memory of the engine's, so that nobody waits for the copy."""
        if where.is_cuda:
            return host.pin_memory().to(where.device, non_blocking=True)
        return host

    @torch.jit.export
    def convert_color(self, values: torch.Tensor, columns: torch.Tensor, offset: torch.Tensor) -> torch.Tensor:
        """Multiplies each pixel's three channels by a matrix, whose columns these are, and adds an offset."""
        red = values.select(-1, 0).to(torch.float64)
        green = values.select(-1, 1).to(torch.float64)
        blue = values.select(-1, 2).to(torch.float64)
        weights = columns.to(torch.float64)
        converted: List[torch.Tensor] = []
        for channel in range(3):
            inner = (red * weights[0][channel]).to(torch.float32)
            inner = (green * weights[1][channel] + inner.to(torch.float64)).to(torch.float32)
            inner = (blue * weights[2][channel] + inner.to(torch.float64)).to(torch.float32)
            converted.append(inner.add_(offset[channel]))
        return torch.stack(converted, -1)

    @torch.jit.export
    def flip(self, images: torch.Tensor, chosen: torch.Tensor, extent: int) -> torch.Tensor:
        """Mirrors the rows that are chosen, uint8 [rows] on the host, by not being 0: extent 1 swaps top and bottom, 2 left and right."""
        return torch.where(self.sent(chosen, images).ne(0).view([-1, 1, 1, 1]), images.flip([extent]), images)

    @torch.jit.export
    def pick(self, images: torch.Tensor, rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
        """The pixels of these rows and columns: resizing to the nearest."""
        return images.index_select(1, rows).index_select(2, columns)

    @torch.jit.export
    def filter(self, images: torch.Tensor, starts: torch.Tensor, weights: torch.Tensor, extent: int) -> torch.Tensor:
        """One pass of a resize along an extent: each output is the sum of weights [taps, outputs] times the inputs from its
        start on, in 22 fractional bits, rounded to bytes. All in 32-bit integers, as Pillow's."""
        shape = [1, 1, 1, 1]
        shape[extent] = weights.size(1)
        sum = images.index_select(extent, starts).to(torch.int32).mul_(weights.select(0, 0).view(shape))
        for tap in range(1, weights.size(0)):
            part = images.index_select(extent, starts + tap).to(torch.int32)
            sum.add_(part.mul_(weights.select(0, tap).view(shape)))
        sum.add_(1 << (self.fraction_bits - 1))
        return torch.bitwise_right_shift(sum, self.fraction_bits).clamp_(0, 255).to(torch.uint8)

    @torch.jit.export
    def jitter(self, images: torch.Tensor, rows: torch.Tensor, counts: List[int], ratios: torch.Tensor,
               rests: torch.Tensor, hues: torch.Tensor) -> torch.Tensor:
        """Changes brightness, contrast, saturation and hue, each row's in its own order. Images and hues are on the device, the
        rest on the host.

        rows [4, rows] int64: the rows in whose order the change stands first, second ..., those of brightness first
        counts: of each place, how many rows for each of the four changes
        ratios, rests [4, rows]: by change and row, the factor and 1 less the factor; of the hue its turn
        hues [5, 8]: the tables of io.millrace.image.Hue: sign, first and second by the order of a pixel's channels, largest
        and middle by the sector of the turned hue
        """
        changed = images.clone()
        rows = self.sent(rows, images)
        ratios = self.sent(ratios, images)
        rests = self.sent(rests, images)
        for place in range(4):
            begin = 0
            for change in range(4):
                count = counts[4 * place + change]
                if count > 0:
                    chosen = rows.select(0, place).narrow(0, begin, count)
                    ratio = ratios.select(0, change).index_select(0, chosen).view([-1, 1, 1, 1])
                    rest = rests.select(0, change).index_select(0, chosen).view([-1, 1, 1, 1])
                    part = changed.index_select(0, chosen)
                    changed.index_copy_(0, chosen, self.color(part, change, ratio, rest, hues))
                    begin += count
        return changed

    def color(self, images: torch.Tensor, change: int, ratio: torch.Tensor, rest: torch.Tensor,
              hues: torch.Tensor) -> torch.Tensor:
        colored = images.size(3) == 3
        if change == self.brightness:
            return images.to(torch.float32).mul_(ratio).clamp_(0.0, 255.0).to(torch.uint8)
        if change == self.contrast:
            levels = self.gray(images) if colored else images
            sum = levels.sum([1, 2, 3], dtype=torch.int64).to(torch.float32)
            # By a tensor: on a GPU a division by a number is a multiplication by its inverse.
            mean = sum.div_(torch.full_like(sum, float(images.size(1) * images.size(2)))).view([-1, 1, 1, 1])
            return self.blend(images, mean, ratio, rest)
        if not colored:
            return images
        if change == self.saturation:
            return self.blend(images, self.gray(images), ratio, rest)
        return self.turn_hue(images, ratio.squeeze(3), hues)

    def blend(self, images: torch.Tensor, other: torch.Tensor, ratio: torch.Tensor, rest: torch.Tensor) -> torch.Tensor:
        scaled = images.to(torch.float32).mul_(ratio).to(torch.float64)
        mixed = scaled.add_(other.to(torch.float64) * rest.to(torch.float64)).to(torch.float32)
        return mixed.clamp_(0.0, 255.0).to(torch.uint8)

    def gray(self, images: torch.Tensor) -> torch.Tensor:
        """Whole levels of gray, [rows, height, width, 1]."""
        red = images.narrow(3, 0, 1).to(torch.float32).mul_(self.red).to(torch.float64)
        green = images.narrow(3, 1, 1).to(torch.float64).mul_(self.green)
        blue = images.narrow(3, 2, 1).to(torch.float64).mul_(self.blue)
        inner = red.add_(green).to(torch.float32)
        return blue.add_(inner.to(torch.float64)).to(torch.float32).trunc_()

    def turn_hue(self, images: torch.Tensor, turn: torch.Tensor, hues: torch.Tensor) -> torch.Tensor:
        pixels = images.to(torch.int32)
        red = pixels.select(3, 0)
        green = pixels.select(3, 1)
        blue = pixels.select(3, 2)
        most = torch.maximum(torch.maximum(red, green), blue)
        least = torch.minimum(torch.minimum(red, green), blue)
        between = red + green + blue - most - least
        colored = most.ne(least)
        order = red.ge(green).to(torch.int64) * 4 + green.ge(blue).to(torch.int64) * 2 + blue.gt(red).to(torch.int64)
        unit = 1.0 / 255.0
        value = most.to(torch.float32) * unit
        # Gray pixels stay as they are; they only must not divide by zero.
        ones = torch.ones_like(value)
        range_ = torch.where(colored, value - least.to(torch.float32) * unit, ones)
        saturation = range_ / torch.where(colored, value, ones)
        ratio = (value - between.to(torch.float32) * unit) / range_
        hue = ((hues[0][order] * ratio + hues[1][order]) + hues[2][order]) * (1.0 / 6.0) + 1.0
        turned = torch.where(hue.ge(1.0), hue - 1.0, hue) + turn
        turned = torch.where(turned.ge(1.0), turned - 1.0, turned)
        turned = torch.where(turned.lt(0.0), turned + 1.0, turned)
        six = turned * 6.0
        sector = six.to(torch.int64).clamp_(0, 6)
        part = saturation * (six - sector.to(torch.float32))
        even = torch.eq(torch.bitwise_and(sector, 1), 0)
        mixed = torch.where(even, part + (1.0 - saturation), 1.0 - part) * value
        middle = mixed.clamp_(0.0, 1.0).mul_(255.999).to(torch.int32)
        of_most = hues[3][sector]
        of_middle = hues[4][sector]
        channels: List[torch.Tensor] = []
        for channel in range(3):
            other = torch.where(of_middle.eq(channel), middle, least)
            channels.append(torch.where(of_most.eq(channel), most, other))
        turned_pixels = torch.stack(channels, 3).to(torch.uint8)
        return torch.where(colored.unsqueeze(3), turned_pixels, images)


if __name__ == "__main__":
    torch.jit.script(DeviceOps()).save(sys.argv[1])
