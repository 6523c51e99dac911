/* Botan's RC4, which has no C interface for streams that go on in place. */
#include <botan/stream_cipher.h>
#include <botan/version.h>

extern "C" {
#include "../c/engine.h"
}

static std::unique_ptr<Botan::StreamCipher> state;

static const char *version() {
    state = Botan::StreamCipher::create_or_throw("RC4");
    static const std::string text = Botan::short_version_string() + ", " + state->provider();
    return text.c_str();
}

static void schedule(const unsigned char *key, size_t key_bytes) { state->set_key(key, key_bytes); }

static void apply(unsigned char *data, size_t bytes) { state->cipher1(data, bytes); }

static const struct engine botan = {"botan", version, schedule, apply};

extern "C" const struct engine *const engines[] = {&botan, NULL};
