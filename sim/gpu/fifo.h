// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cassert>
#include <cstddef>
#include <vector>

namespace gmmu::sim {

/// A queue that allocates memory only when it is full: its capacity then doubles.
template <typename T>
class Fifo {
 public:
  explicit Fifo(size_t capacity = 16) {
    size_t size = 2;
    while (size < capacity) size *= 2;
    items_.resize(size);
  }
  bool empty() const { return first_ == last_; }
  size_t size() const { return last_ - first_; }
  T& front() { return items_[first_ & (items_.size() - 1)]; }
  const T& front() const { return items_[first_ & (items_.size() - 1)]; }
  T& operator[](size_t i) { return items_[(first_ + i) & (items_.size() - 1)]; }
  const T& operator[](size_t i) const { return items_[(first_ + i) & (items_.size() - 1)]; }
  void push(const T& item) {
    if (size() == items_.size()) Grow();
    items_[last_++ & (items_.size() - 1)] = item;
  }
  void pop() {
    assert(!empty());
    ++first_;
  }

 private:
  void Grow() {
    std::vector<T> bigger(items_.size() * 2);
    const size_t count = size();
    for (size_t i = 0; i < count; ++i) bigger[i] = (*this)[i];
    items_.swap(bigger);
    first_ = 0;
    last_ = count;
  }

  std::vector<T> items_;
  size_t first_ = 0, last_ = 0;  // free-running indices
};

}  // namespace gmmu::sim
