/*
 * The protocol that keeps a row from being published twice, as a model for Spin: claim, fence, send, record, reconcile,
 * resolve. Two rows of two campaigns ask for the same title on one account, so each one's publication could be the
 * other's. `npm run model` checks it, and checks that each variant named NEG_… breaks it: a rule that can be dropped
 * without harm would not be a rule.
 *
 * What may happen, in any order: a worker dies, or stops between any two of its steps for as long as the rest of the
 * world needs; an answer is lost; the service stores a request after its sender gave up; the list shows publications
 * late, and a scan misses one because the list moved under it; a person resolves a row; a person or a schedule submits
 * again (a row that may be sent is claimed by whichever worker comes first).
 *
 * What is assumed, each written as a guard below and documented in docs/explanation/limits.md:
 *   A1  the service stores a request within the settling time after its attempt is over, or never
 *   A2  a list that lags by more than the settling time lacks the account's own later creates too
 *   A3  a publication is not missed by two scans in a row
 *   A4  a worker that passed the fence sends its first byte within the margin after `send_until`, or never
 *   A5  a person who says that a publication is, or is not, a row's own looked at the channel and is right at that time
 */

#define ROWS 2
#define TRIES 2          /* attempts of row 0: the first, and one repeat. Row 1 is its rival and has one: by symmetry that is enough */
#define MAY_TRY(row) (attempts[row] < TRIES - (row))
#define WORKERS 2        /* 0: same host as the reconciler, its death can be proven; 1: another host, with a lease */
#define DEATHS 1         /* of all workers together; another one starts in its place */
#define PUBS 4
#define NONE 9

#define A(row, attempt) ((row) * TRIES + (attempt))

mtype = { planned, creating, processing, unconfirmed, given_up };
mtype = { unsent, sent, stored, dropped };   /* a request, as the service has it */

/* The ledger. Every read or write below is one atomic step: one transaction. */
mtype state[ROWS] = planned;
byte attempts[ROWS];                 /* made so far; the current one is attempts - 1 */
byte holder[ROWS * TRIES];           /* worker and incarnation that claimed it */
bool over[ROWS * TRIES];             /* proven: nothing will be sent for it any more */
bool fenced[ROWS * TRIES];           /* given up while it was not proven over */
bool lost[ROWS * TRIES];             /* it may have been sent, and nothing settled it yet */
byte scans[ROWS];                    /* full and current scans that found nothing */
byte owner[PUBS] = NONE;             /* the row that has this publication */

/* The service. */
mtype request[ROWS * TRIES] = unsent;
byte creator[PUBS] = NONE;           /* what really happened: nobody but the invariant may look at it */
byte count;                          /* publications stored, oldest first */
byte shown;                          /* how many of them the list shows */
byte missed = NONE;                  /* the publication that the last scan missed */
byte published[ROWS];

/* The world. */
byte incarnation[WORKERS];
bool between[ROWS * TRIES];          /* its worker passed the fence and has sent nothing yet */

#define current(r) A(r, attempts[r] - 1)
#define is_dead(a) ((holder[a] / 8) < incarnation[holder[a] % 8])
#define local(a) ((holder[a] % 8) == 0)

inline settle_attempt(r) { lost[current(r)] = false; scans[r] = 0 }

/* ---- a worker: claim, fence, send, record ---- */
proctype Worker(byte w) {
  byte r, a, p;
  do
  :: atomic {                        /* claim: compare-and-set, and the intent written durably */
       if
       :: state[0] == planned && MAY_TRY(0) -> r = 0
       :: state[1] == planned && MAY_TRY(1) -> r = 1
       fi;
       a = A(r, attempts[r]);
       attempts[r]++;
       holder[a] = incarnation[w] * 8 + w;
       state[r] = creating;
       scans[r] = 0
     };
     atomic {                        /* the fence, right before the first byte */
#ifdef NEG_NO_FENCE
       between[a] = true
#else
       if
       :: fenced[a] || over[a] || state[r] != creating ->
            over[a] = true;          /* recorded: it was never sent */
            if
            :: state[r] == creating && current(r) == a -> state[r] = planned; attempts[r]--; over[a] = false; fenced[a] = false
            :: else
            fi;
            goto next
       :: else -> between[a] = true
       fi
#endif
     };
     if
     :: incarnation[0] + incarnation[1] < DEATHS -> between[a] = false; goto dies
     :: true
     fi;
     atomic { between[a] = false; request[a] = sent };
     if
     :: incarnation[0] + incarnation[1] < DEATHS -> goto dies
     :: true
     fi;
     if
     :: atomic {                     /* the answer arrives, and is recorded whoever owns the row by then */
          request[a] == stored ->
          p = 0;
          do
          :: p < count && !(creator[p] == r && owner[p] == NONE) -> p++
          :: else -> break
          od;
          over[a] = true; lost[a] = false;
          if
          :: p < count -> owner[p] = r
          :: else
          fi;
          if
          :: state[r] == creating || state[r] == unconfirmed -> state[r] = processing
          :: else
          fi;
          p = 0; scans[r] = 0
        }
     :: atomic { over[a] = true; lost[a] = true }    /* cut, time-out, 5xx: nobody knows */
     fi;
next: r = 0; a = 0
  :: timeout -> break                /* nothing left to send */
  od;
  goto done;
dies:
  atomic { incarnation[w]++; r = 0; a = 0; run Worker(w) };
done: skip
}

/* ---- the service: stores late or never, shows late ---- */
#define under_way(a) (request[a] == sent)
inline store_or_drop(a) {
  if
  :: creator[count] = (a) / TRIES; count++; request[a] = stored;
     published[(a) / TRIES]++;
     assert(published[(a) / TRIES] <= 1)             /* the first promise */
  :: request[a] = dropped
  fi
}
active proctype Service() {
end:
  do
  :: atomic { under_way(0) -> store_or_drop(0) }
  :: atomic { under_way(1) -> store_or_drop(1) }
  :: atomic { under_way(2) -> store_or_drop(2) }
  :: shown < count -> shown++
  od
}

/* ---- the reconciler ---- */
#define unowned(p) (p < shown && p != missed && owner[p] == NONE)
inline find_candidates() {           /* publications in this scan that no row owns: each could be either row's */
  found = 0; only = NONE;
  p = 0;
  do
  :: p < count ->
       if
       :: unowned(p) -> found++; only = p
       :: else
       fi;
       p++
  :: else -> break
  od;
  p = 0
}
inline is_current() {                /* every own publication accepted before the scan began is in it */
  ok = true;
  p = 0;
  do
  :: p < count ->
       if
       :: owner[p] != NONE && (p >= shown || p == missed) -> ok = false
       :: else
       fi;
       p++
  :: else -> break
  od;
  p = 0
}
#ifdef NEG_ONE_SCAN
#define NEEDED 1
#else
#define NEEDED 2
#endif
/* A1. A request that is still under way is waited for; not in the variant that releases before settling. */
#ifdef NEG_EARLY_RELEASE
#define settled_long_enough(a) true
#else
#define settled_long_enough(a) (request[a] != sent)
#endif
/* A2. Where the list lags longer than the settling time, an own later create is missing as well. */
#define lag_shows (shown == count || (count > 0 && owner[count - 1] != NONE))

#define OPEN(r) (attempts[r] > 0 && !over[current(r)])
/* A local worker's death is proven by its process being gone. A remote one's attempt is over once `send_until` and its
   margin (A4) have passed, as the fence refuses from then on. */
#ifdef NEG_DEAD_WORKER_WAITED_FOR
#define CAN_END(a) false
#else
#ifdef NEG_LEASE_END
#define CAN_END(a) (!local(a) || is_dead(a))
#else
#ifdef NEG_TIMEOUT_IS_DEATH
#define CAN_END(a) (local(a) || !between[a])
#else
#define CAN_END(a) ((local(a) && is_dead(a)) || (!local(a) && !between[a]))
#endif
#endif
#endif
inline end_attempt(r, a) { over[a] = true; lost[a] = true; fenced[a] = true }
inline give_up(r, a) { fenced[a] = true; lost[a] = true; state[r] = unconfirmed }

#define DUE(r) (state[r] == creating && attempts[r] > 0 && over[current(r)] && lost[current(r)] && \
                settled_long_enough(current(r)))

active proctype Reconciler() {
  byte r, p, found, only, rivals;
  bool ok;
end:
  do
  :: atomic { OPEN(0) && CAN_END(current(0)) -> end_attempt(0, current(0)) }
  :: atomic { OPEN(1) && CAN_END(current(1)) -> end_attempt(1, current(1)) }
#ifndef NEG_DEAD_WORKER_WAITED_FOR
  /* Silent for an hour, and not proven over: fenced, and left to a person. */
  :: atomic { OPEN(0) && state[0] == creating -> give_up(0, current(0)) }
  :: atomic { OPEN(1) && state[1] == creating -> give_up(1, current(1)) }
#endif
  :: atomic {                        /* one scan of the account's list, for every lost create that is due */
       (DUE(0) || DUE(1)) && lag_shows;
       if                            /* A3: the list moves while it is read */
       :: missed == NONE && shown > 0 -> if :: missed = 0 :: shown > 1 -> missed = shown - 1 :: true fi
       :: else -> missed = NONE
       fi;
       is_current();
#ifdef NEG_INCOMPLETE_LIST
       ok = true;                    /* what the list lacks is taken for what does not exist */
#endif
       r = 0;
       do
       :: r < ROWS && DUE(r) ->
            find_candidates();
            rivals = 0;
#ifndef NEG_RIVALS_OF_ONE_RUN
            /* Lost creates of every campaign of the account, and requests that may still turn into publications. */
            if
            :: attempts[1 - r] > 0 && (lost[current(1 - r)] || !over[current(1 - r)]) && state[1 - r] != processing -> rivals = 1
            :: else
            fi;
#endif
            if
            :: found == 1 && rivals == 0 ->
                 owner[only] = r; state[r] = processing; settle_attempt(r)
            :: found == 0 && ok ->
                 scans[r]++;
                 if
                 :: scans[r] >= NEEDED && MAY_TRY(r) -> settle_attempt(r); state[r] = planned
                 :: scans[r] >= NEEDED && !MAY_TRY(r) -> state[r] = unconfirmed; scans[r] = 0
                 :: else
                 fi
            :: else -> scans[r] = 0; state[r] = unconfirmed   /* doubt at the deadline; to wait is to take this step later */
            fi;
            r++
       :: r < ROWS && !DUE(r) -> r++
       :: else -> break
       od;
       r = 0; found = 0; only = 0; rivals = 0; ok = false; p = 0
     }
  od
}

/* ---- a person, who looks at the channel (A5) ---- */
active proctype Person() {
  byte r, p;
  bool exists;
end:
  do
  :: atomic {
       if
       :: state[0] == unconfirmed -> r = 0
       :: state[1] == unconfirmed -> r = 1
       fi;
       exists = false;
       p = 0;
       do
       :: p < count && creator[p] == r -> exists = true; break
       :: p < count && creator[p] != r -> p++
       :: p == count -> break
       od;
       if
       :: exists && owner[p] == NONE -> owner[p] = r; state[r] = processing; settle_attempt(r)   /* --published ID */
       :: exists && owner[p] != NONE -> state[r] = given_up; settle_attempt(r)
#ifdef NEG_RESOLVE_LIVING
       :: !exists && MAY_TRY(r) -> state[r] = planned; settle_attempt(r)
#else
       :: !exists && over[current(r)] && settled_long_enough(current(r)) && MAY_TRY(r) ->
            state[r] = planned; settle_attempt(r)                                                 /* --not-published */
#endif
       :: state[r] = given_up                                                                      /* --give-up */
       fi;
       r = 0; p = 0; exists = false
     }
  od
}

init {
  atomic { run Worker(0); run Worker(1) }
}

/* Checked where nothing more can happen: every row has an end (the second promise). */
active proctype EveryRowEnds() {
  timeout ->
    assert(state[0] == processing || state[0] == given_up);
    assert(state[1] == processing || state[1] == given_up)
}
