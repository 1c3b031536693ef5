# The simulated Solana node beside the network's own virtual machine, a workspace
# of its own in svm/. Source it.

# A digest of what it checks and of the checks.
svm_digest() {
  find svm/Cargo.toml svm/src svm/tests crates/simnet/src/solana crates/primitives/src/solana.rs \
    crates/leasing/src/payment crates/leasing/src/memo.rs crates/leasing/src/message.rs -type f -print0 |
    LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum | cut -d' ' -f1
}

# Runs it, and notes what it was run on in svm/checked, which is committed.
check_svm() {
  (cd svm && cargo fmt --check &&
    RUSTC_WORKSPACE_WRAPPER="$PWD/../scripts/linting-rustc" cargo test --quiet --no-fail-fast)
  svm_digest >svm/checked
}
