// Which of many contacts to keep.
#pragma once

#include "graze/detector.h"
#include "narrow_phase/contact_list.h"

namespace graze {

// Memory that a reduction needs beside its lists; keep it to reduce again without allocation.
struct ReduceWorkspace;

// From one list to another, as reduction says. Contacts keep their order, but for a manifold's,
// which are in the order of their choice. Does not wait. The same bits on either machine and for
// any number of threads. On the device `to` gets the room of `from`.
template <class Executor>
void reduce_contacts(Executor& executor, const ContactReduction& reduction, const ContactList& from,
                     ContactList& to, ReduceWorkspace& workspace);

}  // namespace graze
