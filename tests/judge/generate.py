"""Draws whole plans: text, and what is worth trying with it."""
import random


class Drawn:
    """A plan: its text, the kernel's name, and for each param numbers that are worth trying."""

    def __init__(self, text, kernel, tries):
        self.text, self.kernel, self.tries = text, kernel, tries


def draw(seed, index):
    r = random.Random(f"{seed}.{index}")
    m, n = r.choice([8, 12, 16]), r.choice([4, 8, 16])
    return Drawn(f"""tcp 1;
tensor A{index} : f32 global ({m},{n});
tensor B{index} : f32 global row({m},{n});
tiled_copy t{index} = tile(auto(128), thr=(4,2), val=(1,4));
kernel k{index}(A{index}, out B{index}) {{
  copy A{index} -> B{index} with t{index};
}}
""", f"k{index}", {})
