// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <utility>

#include "trace/generate.h"

namespace gmmu::trace {
namespace {

/// A sequence of `count` accesses, each computed from its index.
class Counted : public Source {
 public:
  Counted(uint64_t count, std::function<Access(uint64_t)> at) : count_(count), at_(std::move(at)) {}
  std::optional<Access> Next() override {
    if (index_ == count_) return std::nullopt;
    return at_(index_++);
  }

 private:
  const uint64_t count_;
  std::function<Access(uint64_t)> at_;
  uint64_t index_ = 0;
};

/// Returns a pattern of `count` accesses in [base, base + footprint).
Generated Pattern(const Parameters& p, uint64_t footprint, std::function<Access(uint64_t)> at) {
  return {std::make_unique<Counted>(p["count"], std::move(at)), p["base"] + footprint, p["count"], 0};
}

constexpr uint64_t kGiB = 1 << 30;

ParameterRule Footprint() { return {"footprint", 64 << 20, "bytes", 4096, 1024 * kGiB, "that is accessed"}; }
ParameterRule Count() { return {"count", 100000, "accesses", 1, uint64_t{1} << 40, "of all streams together"}; }
ParameterRule Bytes() { return {"bytes", 64, "bytes", 1, 4096, "of an access"}; }
ParameterRule Streams() { return {"streams", 8, "streams", 1, 65536, "that take turns"}; }
ParameterRule Writes() { return {"writes", 0, "percent", 0, 100, "of the accesses that write"}; }

/// Returns a function that picks a read or a write at random. Parameter `writes` is the percentage
/// of writes.
std::function<Kind()> Kinds(const Parameters& p) {
  return [random = Random(p["seed"] ^ 0x57), percent = p["writes"]]() mutable {
    return percent != 0 && random.Percent(percent) ? Kind::kWrite : Kind::kRead;
  };
}

Generated Sequential(const Parameters& p) {
  const uint64_t bytes = p["bytes"], streams = p["streams"], base = p["base"];
  const uint64_t share = p["footprint"] / streams / bytes * bytes;
  if (share == 0) p.Refuse("a stream's share of the footprint has no room for an access");
  return Pattern(p, p["footprint"], [=, kind = Kinds(p)](uint64_t i) mutable {
    const uint64_t stream = i % streams;
    return Access{base + stream * share + i / streams * bytes % share, static_cast<uint32_t>(bytes), kind(),
                  static_cast<uint32_t>(stream), 0};
  });
}

Generated Stride(const Parameters& p) {
  const uint64_t bytes = p["bytes"], streams = p["streams"], base = p["base"], stride = p["stride"];
  if (bytes > stride) p.Refuse("an access has more bytes than the stride");
  const uint64_t places = p["footprint"] / stride;
  if (places == 0) p.Refuse("the stride is larger than the footprint");
  return Pattern(p, p["footprint"], [=, kind = Kinds(p)](uint64_t i) mutable {
    return Access{base + i % places * stride, static_cast<uint32_t>(bytes), kind(), static_cast<uint32_t>(i % streams),
                  0};
  });
}

Generated Uniform(const Parameters& p) {
  const uint64_t bytes = p["bytes"], streams = p["streams"], base = p["base"], places = p["footprint"] / bytes;
  return Pattern(p, p["footprint"], [=, kind = Kinds(p), random = Random(p["seed"])](uint64_t i) mutable {
    return Access{base + random.Below(places) * bytes, static_cast<uint32_t>(bytes), kind(),
                  static_cast<uint32_t>(i % streams), 0};
  });
}

/// Draws ranks 0 to n - 1 with probabilities proportional to 1 / (rank + 1)^theta, by the method of
/// Gray et al., figure 2.
class ZipfRanks {
 public:
  ZipfRanks(uint64_t n, double theta) : n_(static_cast<double>(n)), theta_(theta) {
    for (uint64_t i = 1; i <= n; ++i) zeta_ += std::pow(static_cast<double>(i), -theta);
    alpha_ = 1 / (1 - theta);
    eta_ = (1 - std::pow(2 / n_, 1 - theta)) / (1 - (1 + std::pow(0.5, theta)) / zeta_);
  }
  uint64_t Rank(double fraction) const {
    const double sum = fraction * zeta_;
    if (sum < 1) return 0;
    if (sum < 1 + std::pow(0.5, theta_)) return 1;
    const double rank = n_ * std::pow(eta_ * fraction - eta_ + 1, alpha_);
    return static_cast<uint64_t>(std::min(rank, n_ - 1));
  }

 private:
  double n_, theta_, zeta_ = 0, alpha_, eta_;
};

Generated Zipf(const Parameters& p) {
  const uint64_t bytes = p["bytes"], streams = p["streams"], base = p["base"], granule = p["granule"];
  const uint64_t granules = p["footprint"] / granule;
  if (granules < 3 || granules > 1 << 24) p.Refuse(fmt::format("{} granules are not 3 to 2^24", granules));
  if (bytes > granule) p.Refuse("an access has more bytes than a granule");
  Random random(p["seed"]);
  uint64_t step = random.Below(granules) | 1;  // scatters the popular granules over the footprint
  while (std::gcd(step, granules) != 1) step = step % granules + 1;
  const ZipfRanks ranks(granules, static_cast<double>(p["theta"]) / 100);
  return Pattern(p, p["footprint"], [=, kind = Kinds(p)](uint64_t i) mutable {
    const uint64_t place = (ranks.Rank(random.Fraction()) + 1) * step % granules;
    return Access{base + place * granule + random.Below(granule / bytes) * bytes, static_cast<uint32_t>(bytes), kind(),
                  static_cast<uint32_t>(i % streams), 0};
  });
}

Generated Chase(const Parameters& p) {
  const uint64_t bytes = p["bytes"], streams = p["streams"], base = p["base"], node = p["node"];
  const uint64_t nodes = p["footprint"] / node;
  if (bytes > node) p.Refuse("an access has more bytes than a node");
  if (nodes < streams || nodes > 1 << 26) p.Refuse(fmt::format("{} nodes are not one a stream to 2^26", nodes));
  auto order = std::make_shared<std::vector<uint32_t>>(nodes);
  std::iota(order->begin(), order->end(), 0);
  Random random(p["seed"]);
  for (uint64_t i = nodes - 1; i > 0; --i) std::swap((*order)[i], (*order)[random.Below(i + 1)]);
  Generated made = Pattern(p, p["footprint"], [=](uint64_t i) {
    const uint64_t stream = i % streams;
    const uint64_t at = (stream * (nodes / streams) + i / streams) % nodes;
    return Access{base + (*order)[at] * node, static_cast<uint32_t>(bytes), Kind::kRead, static_cast<uint32_t>(stream),
                  0};
  });
  made.window = 1;
  return made;
}

Generated Paging(const Parameters& p) {
  const uint64_t bytes = p["bytes"], streams = p["streams"], base = p["base"], page = p["page"], calm = p["calm"];
  const uint64_t pages = p["fits"] / page * p["percent"] / 100, storm = p["storm"];
  if (bytes > page) p.Refuse("an access has more bytes than a page");
  if (pages * page <= p["fits"]) p.Refuse("all pages fit: fits has too few pages for this percentage");
  if (storm > pages) p.Refuse(fmt::format("a storm of {} pages is more than there are: {}", storm, pages));
  return Pattern(p, pages * page, [=, kind = Kinds(p), random = Random(p["seed"])](uint64_t i) mutable {
    const uint64_t first = i / (storm + calm) * storm, in = i % (storm + calm);
    const uint64_t at = in < storm ? in : random.Below(storm);
    return Access{base + (first + at) % pages * page + random.Below(page / bytes) * bytes, static_cast<uint32_t>(bytes),
                  kind(), static_cast<uint32_t>(i % streams), 0};
  });
}

}  // namespace

std::vector<Generator> Patterns() {
  return {
      {"sequential",
       "each stream reads its share of the footprint from the first byte to the last, again and again",
       "the loops of STREAM: McCalpin, Memory bandwidth and machine balance, IEEE TCCA Newsletter, 1995",
       {Footprint(), Count(), Bytes(), Streams(), Writes()},
       Sequential},
      {"stride",
       "a sweep over the footprint in steps of the stride, again and again; the streams take turns",
       "Saavedra and Smith, Measuring cache and TLB performance, IEEE Transactions on Computers 44(10), 1995",
       {{"stride", 4096, "bytes", 1, kGiB, "between two accesses"}, Footprint(), Count(), Bytes(), Streams(), Writes()},
       Stride},
      {"random",
       "places of the footprint, all as likely",
       "RandomAccess (GUPS): Luszczek et al., The HPC Challenge benchmark suite, SC 2006",
       {Footprint(), Count(), Bytes(), Streams(), Writes()},
       Uniform},
      {"zipf",
       "granules of the footprint by Zipf's law, at a random place in each",
       "Gray et al., Quickly generating billion-record synthetic databases, SIGMOD 1994, section 4.2",
       {{"theta", 99, "percent", 1, 99, "exponent of the law, times 100"},
        {"granule", 4096, "bytes", 64, kGiB, "that are equally popular"},
        Footprint(),
        Count(),
        Bytes(),
        Streams(),
        Writes()},
       Zipf},
      {"chase",
       "each stream follows pointers along one random cycle through all nodes, with one access in flight",
       "lat_mem_rd of lmbench (McVoy and Staelin, USENIX 1996), in a random order by Fisher and Yates's shuffle",
       {{"node", 4096, "bytes", 8, kGiB, "from node to node"},
        Footprint(),
        Count(),
        {"bytes", 8, "bytes", 1, 4096, "of an access"},
        {"streams", 1, "streams", 1, 65536, "that begin at places of the cycle as far apart as can be"}},
       Chase},
      {"paging",
       "storms: one access to each of the next pages of more than fits, round and round, and between two storms calm "
       "accesses to the pages of the last one",
       "cyclic reference, LRU's worst case (Denning, The working set model, CACM 11(5), 1968), in the bursts of far "
       "faults "
       "of Zheng et al., Towards high performance paged memory for GPUs, HPCA 2016",
       {{"fits", 64 << 20, "bytes", 65536, 1024 * kGiB, "that memory holds"},
        {"percent", 125, "percent", 101, 10000, "of what fits that is accessed"},
        {"page", 65536, "bytes", 4096, 2 << 20, "of a page"},
        {"storm", 64, "pages", 1, 1 << 20, "of a storm"},
        {"calm", 256, "accesses", 0, 1 << 30, "between two storms"},
        Count(),
        Bytes(),
        Streams(),
        Writes()},
       Paging}};
}

}  // namespace gmmu::trace
