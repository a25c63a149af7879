// SPDX-License-Identifier: Apache-2.0
#include "events/histogram_json.h"

namespace gmmu::events {

nlohmann::ordered_json JsonOf(const Histogram& histogram, bool buckets) {
  nlohmann::ordered_json json = {{"count", histogram.count()}, {"min", histogram.min()}, {"mean", histogram.mean()}};
  for (const auto& quantile : kQuantiles) json[quantile.name] = histogram.Quantile(quantile.permyriad);
  json["max"] = histogram.max();
  if (!buckets) return json;
  json["buckets"] = nlohmann::ordered_json::array();
  for (const Histogram::Bucket& bucket : histogram.buckets())
    json["buckets"].push_back({bucket.first, bucket.last, bucket.count});
  return json;
}

}  // namespace gmmu::events
