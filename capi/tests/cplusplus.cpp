// Both headers in C++.
#include <arcfour.h>
#include <openssl/rc4.h>

#include <cstring>
#include <memory>
#include <vector>

int main() {
    static_assert(sizeof(RC4_KEY) == 1032 && alignof(RC4_KEY) == 4, "as OpenSSL's");
    const std::vector<uint8_t> key{1, 2, 3, 4, 5};
    arcfour *stream = nullptr;
    if (arcfour_new(&stream, key.data(), key.size(), 0) != ARCFOUR_OK) return 1;
    const std::unique_ptr<arcfour, decltype(&arcfour_free)> owner(stream, arcfour_free);
    std::vector<uint8_t> one(1000), two(1000);
    if (arcfour_fill(stream, one.data(), one.size()) != ARCFOUR_OK) return 1;
    RC4_KEY state;
    RC4_set_key(&state, static_cast<int>(key.size()), key.data());
    RC4(&state, two.size(), two.data(), two.data());
    return one != two;
}
