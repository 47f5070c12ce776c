// UnavailableError: what is wanted may be there and sound, but cannot be had now: no memory is
// left, too many files are open, a permission is missing. Another try later may succeed.
#pragma once

#include "graze/error.h"

namespace graze::io {

class UnavailableError : public Error {
public:
    using Error::Error;
};

}  // namespace graze::io
