// SPDX-License-Identifier: Apache-2.0
// A shared object without a policy, for tests of loading policies.
int gmmu_no_policy = 0;
