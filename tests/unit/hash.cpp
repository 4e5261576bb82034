// SHA-256 and SHA-1 against the examples of FIPS 180 and NIST's CAVP.
#include <catch2/catch.hpp>
#include <string>

#include "compiler/support/hash.hpp"

namespace {

std::span<const std::byte> bytes(const std::string& s) { return std::as_bytes(std::span(s)); }

}  // namespace

TEST_CASE("SHA-256", "[support]") {
  using onnxc::sha256;
  CHECK(sha256(bytes("")) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256(bytes("abc")) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256(bytes("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")) ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256(bytes(std::string(1000000, 'a'))) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("SHA-1", "[support]") {
  using onnxc::sha1;
  CHECK(sha1(bytes("")) == "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  CHECK(sha1(bytes("abc")) == "a9993e364706816aba3e25717850c26c9cd0d89d");
  CHECK(sha1(bytes("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")) ==
        "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
  CHECK(sha1(bytes(std::string(1000000, 'a'))) == "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}
