# SPDX-License-Identifier: Apache-2.0
"""A memory behind an AXI4 manager, 64 bits wide, that is as adversarial as AXI allows and checks the manager.

If ids have sixteen bits, they contain the requester of a burst, and the limits of docs/integration.md for each
requester apply. Shorter ids do not identify it; then a burst may have up to 256 bytes, and a single beat on m_vram may
be a window write.

It responds in any order of ids after a random time, interleaves R beats of different ids, stalls every channel, lets an
AW wait for its data or the data for its AW, and returns SLVERR in address ranges. A write takes effect at any time
between its last beat and its B. A violation of AXI4 or of the documentation by the manager raises Broken.
"""
import dataclasses
import os

from pages import host_cache
from sparse import Sparse

BEAT = 8
OKAY, SLVERR = 0, 2
AR, AW, W, B, R = 1, 2, 4, 8, 16  # bits of the vectors of valid and ready
WINDOW = 5  # requester (rtl/top/README.md): only its writes share an id
MOST_BYTES = {0: 64, 1: 64, 2: 64, 3: 256, 4: 256, 5: 8, 6: 32, 7: 8}  # by requester (docs/integration.md); others 64
LONGEST = 256
ID_BITS = int(os.environ.get("GMMU_ID_BITS", "16"))  # of the memory ports in this build
REQUESTERS = ID_BITS == 16                           # an id is {generation, requester, the requester's id}
PATIENCE = 20000  # time limit of every wait, in cycles


class Broken(AssertionError):
    """The manager violated a rule."""


@dataclasses.dataclass
class Manner:
    """The behaviour of a memory: percentages, and cycles from a request to its response."""
    ready: int = 100         # probability that AR, AW or W is accepted in a cycle
    least: int = 1
    most: int = 1
    answer: int = 100        # probability that a due R beat or B is offered in a cycle
    any_order: bool = False  # responses in any order; false: in the order of requests
    aw_waits: bool = False   # an AW is accepted only after a beat of its data
    w_waits: bool = False    # data is accepted only after its AW


PROMPT = Manner()


def random_manner(rng):
    waits = rng.choice(["aw", "w", "", ""])
    most = rng.choice([4, 40, 200])
    return Manner(ready=rng.choice([20, 50, 90, 100]), least=1, most=most, answer=rng.choice([30, 80, 100]),
                  any_order=rng.random() < 0.9, aw_waits=waits == "aw", w_waits=waits == "w")


@dataclasses.dataclass
class Address:
    id: int
    cache: int
    prot: int
    qos: int
    lock: int
    user: int
    address: int
    beats: int
    size: int
    burst: int
    since: int = 0

    @property
    def requester(self):
        """None if ids do not contain the requester."""
        return self.id >> 8 & 0x7F if REQUESTERS else None

    @property
    def may_be_windows(self):
        return self.requester == WINDOW if REQUESTERS else self.beats == 1


@dataclasses.dataclass
class Read:
    at: Address
    due: int
    early: bytes | None  # the data, if it was read when AR arrived
    errors: list         # for each beat: whether it is SLVERR
    sent: int = 0


@dataclasses.dataclass
class Write:
    at: Address
    data: list           # (data, strobes) for each beat
    due: int
    error: bool
    done: bool = False


class AxiMemory:
    def __init__(self, name, dut, rng, size):
        self.name, self.rng, self.size = name, rng, size
        port = f"m_{name}_"
        self._out, self._in = getattr(dut, port + "out"), getattr(dut, port + "in")
        self._ar, self._aw, self._w = (getattr(dut, port + channel) for channel in ("ar", "aw", "w"))
        self._r, self._b = getattr(dut, port + "r"), getattr(dut, port + "b")
        self.bytes = Sparse()
        self.manner = PROMPT
        self.refuse_reads, self.refuse_writes = [], []  # ranges that get SLVERR: read beats, whole writes
        self.on_address = lambda kind, at: None         # called for each accepted AR and AW
        self.on_write = lambda address, data: None      # called for each burst that took effect, without gaps
        self.most_outstanding = 0                       # most outstanding ids in one direction
        self.reset()

    def reset(self):
        """Drops everything in flight; called while rst_i is 1."""
        self.now = 0
        self._in.value = self._drive = 0
        self._stood = {}                   # channel: payload of the previous cycle's valid without ready
        self._reads, self._aws, self._beats, self._writes = [], [], [], []
        self._early_beats = 0              # whole bursts of data in _beats whose AW has not arrived
        self._offered_r = self._offered_b = None
        self._moved = 0                    # cycle of the latest activity

    # -- queries for the tests
    def quiet(self):
        return not (self._reads or self._aws or self._beats or self._writes or self._stood)

    def in_flight(self):
        return len(self._reads) + len(self._writes) + len(self._aws)

    def writes_in_flight(self):
        return [write.at for write in self._writes] + list(self._aws)

    def finish_writes(self):
        """Makes writes whose data has arrived take effect now, whenever their B is sent."""
        for write in self._writes:
            self._apply(write)

    # -- the cycle
    def edge(self):
        """Called at each rising edge before any output changes."""
        self.now += 1
        out = self._out.value.to_unsigned()
        drive = self._drive
        if not out & 7 and not self._stood and not drive & 24 and not self._reads and not self._writes and not self._aws \
                and not self._beats:
            if drive != 7:
                prompt = self.manner.ready == 100 and not self.manner.aw_waits and not self.manner.w_waits
                self._set(7 if prompt else 0)
            return
        taken = out & drive
        if out & 7 or self._stood:
            self._offers(out, taken)
        if taken & R:
            self._taken_r()
        if taken & B:
            self._taken_b()
        self._next(drive & ~taken & (R | B))

    def _set(self, drive):
        if drive != self._drive:
            self._in.value = self._drive = drive

    def _break(self, what):
        raise Broken(f"{self.name}, cycle {self.now}: {what}")

    def _offers(self, out, taken):
        for channel, name, signal in ((AR, "AR", self._ar), (AW, "AW", self._aw), (W, "W", self._w)):
            stood = self._stood.pop(channel, None)
            if not out & channel:
                if stood is not None:
                    self._break(f"{name}VALID was withdrawn")
                continue
            payload = signal.value.to_unsigned()
            if stood is not None and payload != stood:
                self._break(f"the payload of {name} changed while it stood: {stood:#x}, {payload:#x}")
            if not taken & channel:
                self._stood[channel] = payload
            elif channel == W:
                self._taken_w(payload)
            else:
                self._taken_address(name, payload)

    def _taken_address(self, name, payload):
        at = Address(payload >> 101, payload >> 97 & 15, payload >> 94 & 7, payload >> 90 & 15, payload >> 89 & 1,
                     payload >> 61 & (1 << 28) - 1, payload >> 13 & (1 << 48) - 1, (payload >> 5 & 0xFF) + 1,
                     payload >> 2 & 7, payload & 3, self.now)
        self._check(name, at)
        self.on_address(name, at)
        self._moved = self.now
        if name == "AW":
            self._aws.append(at)
            self._match()
            return
        data = self.bytes.read(at.address & -BEAT, at.beats * BEAT)
        start = at.address & -BEAT
        errors = [self._refused(self.refuse_reads, start + BEAT * beat, BEAT) for beat in range(at.beats)]
        self._reads.append(Read(at, self._due(), data if self.rng.random() < 0.5 else None, errors))

    def _check(self, name, at):
        last = (at.address & -BEAT) + at.beats * BEAT - 1
        if at.burst != 1 or at.size != 3:
            self._break(f"{name} is no INCR burst of the full width: burst {at.burst}, size {at.size}")
        if at.address >> 12 != last >> 12:
            self._break(f"{name} {at.address:#x} of {at.beats} beats crosses 4 KiB")
        most = MOST_BYTES.get(at.requester, 64) if REQUESTERS else LONGEST
        if at.beats * BEAT > most or at.address // most != last // most:
            self._break(f"{name} {at.address:#x} of requester {at.requester} has {at.beats} beats: more than {most} bytes")
        others = [read.at for read in self._reads] if name == "AR" else self.writes_in_flight()
        alike = [other for other in others if other.id == at.id]
        self.most_outstanding = max(self.most_outstanding, len({other.id for other in others} | {at.id}))
        if alike and not (self.name == "vram" and name == "AW" and all(one.may_be_windows for one in (at, *alike))):
            self._break(f"{name} with id {at.id:#x}, which is outstanding")
        cache = 0b0011 if self.name == "vram" else host_cache(at.user & 3, at.user >> 23 & 1)
        if (at.cache, at.prot, at.qos, at.lock) != (cache, 0b010, 0, 0):
            self._break(f"{name} {at.address:#x} with user {at.user:#x} has AxCACHE {at.cache:04b}, AxPROT {at.prot:03b}, "
                        f"AxQOS {at.qos}, AxLOCK {at.lock}")
        if self.name == "vram" and not at.may_be_windows and last >= self.size:
            self._break(f"{name} {at.address:#x} is past the end of VRAM")
        if self.name == "host" and at.user & 3:
            self._break(f"{name} {at.address:#x} has kind {at.user & 3}")

    def _refused(self, ranges, address, size):
        end = address + size
        return end > self.size or any(address < stop and end > start for start, stop in ranges)

    def _due(self):
        return self.now + self.rng.randint(self.manner.least, self.manner.most)

    def _taken_w(self, payload):
        data, strobes, last = payload >> 9, payload >> 1 & 0xFF, payload & 1
        self._beats.append((data, strobes, last))
        self._early_beats += last
        self._moved = self.now
        self._match()

    def _match(self):
        """Assigns its beats to the oldest AW; beats arrive in AW order."""
        if self._aws and self._beats:
            wanted = self._aws[0].beats
            for number, beat in enumerate(self._beats[:wanted], 1):
                if beat[2] != (number == wanted):
                    self._break(f"WLAST is {beat[2]} at beat {number} of {wanted} of AW {self._aws[0].address:#x}")
            if len(self._beats) >= wanted:
                at, beats = self._aws.pop(0), self._beats[:wanted]
                del self._beats[:wanted]
                self._early_beats -= 1
                write = Write(at, [beat[:2] for beat in beats], self._due(), 
                              self._refused(self.refuse_writes, at.address & -BEAT, at.beats * BEAT))
                alone = all(other.at.id != at.id for other in self._writes)
                self._writes.append(write)
                if alone and self.rng.random() < 0.5:
                    self._apply(write)

    def _apply(self, write):
        if write.done:
            return
        write.done = True
        if write.error:
            return
        address, run = write.at.address & -BEAT, bytearray()
        start = address
        for data, strobes in write.data:
            content = data.to_bytes(BEAT, "little")
            for lane in range(BEAT):
                if strobes >> lane & 1:
                    if start + len(run) != address + lane:
                        if run:
                            self._store(start, run)
                        start, run = address + lane, bytearray()
                    run.append(content[lane])
            address += BEAT
        if run:
            self._store(start, run)

    def _store(self, address, data):
        self.bytes.write(address, data)
        self.on_write(address, bytes(data))

    def _taken_r(self):
        read = self._offered_r
        read.sent += 1
        self._offered_r = None
        self._moved = self.now
        if read.sent == read.at.beats:
            self._reads.remove(read)

    def _taken_b(self):
        self._writes.remove(self._offered_b)
        self._offered_b = None
        self._moved = self.now

    def _next(self, standing):
        """Chooses the inputs for the next cycle."""
        manner, rng = self.manner, self.rng
        drive = standing
        if manner.ready == 100:
            drive |= AR | AW | W
        else:
            for channel in (AR, AW, W):
                if rng.random() * 100 < manner.ready:
                    drive |= channel
        if manner.aw_waits and len(self._aws) >= self._early_beats + (len(self._beats) > 0 and not self._beats[-1][2]):
            drive &= ~AW
        if manner.w_waits and not (self._aws and len(self._beats) < self._aws[0].beats):
            drive &= ~W
        if not standing & R:
            self._offer_r()
            if self._offered_r:
                drive |= R
        if not standing & B:
            self._offer_b()
            if self._offered_b:
                drive |= B
        if self.now - self._moved > PATIENCE and (self._stood or self._aws or self._offered_r or self._offered_b):
            self._break(f"nothing moves: {len(self._aws)} AW wait for their beats, {len(self._beats)} beats, "
                        f"R {self._offered_r}, B {self._offered_b}")
        self._set(drive)

    def _pick(self, jobs):
        if not jobs or (self.manner.answer < 100 and self.rng.random() * 100 >= self.manner.answer):
            return None
        if not self.manner.any_order:
            return jobs[0] if jobs[0].due <= self.now else None
        due = [job for job in jobs if job.due <= self.now]
        return self.rng.choice(due) if due else None

    def _offer_r(self):
        read = self._offered_r = self._pick(self._reads)
        if read:
            where = (read.at.address & -BEAT) + read.sent * BEAT
            data = read.early[read.sent * BEAT:][:BEAT] if read.early else self.bytes.read(where, BEAT)
            if error := read.errors[read.sent]:
                data = self.rng.randbytes(BEAT)
            self._r.value = read.at.id << 67 | int.from_bytes(data, "little") << 3 | (SLVERR if error else OKAY) << 1 | \
                (read.sent + 1 == read.at.beats)

    def _offer_b(self):
        write = self._pick(self._writes)
        if write:  # writes with the same id keep their order
            write = next(other for other in self._writes if other.at.id == write.at.id)
            self._apply(write)
            self._b.value = write.at.id << 2 | (SLVERR if write.error else OKAY)
        self._offered_b = write
