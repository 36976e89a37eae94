/**
 * Assigns publications to claimants where exactly one assignment gives every publication of a group to one of its
 * claimants. `claims`: for each claimant, the publications that would certainly be its own. Publications and claimants
 * that share one form a group; a group in which a publication could go to either of two claimants, or a claimant could
 * get either of two publications, has no such assignment, and nothing of it is in the result (claimant → publication).
 */
export function assignUniquely(claims: ReadonlyMap<string, readonly string[]>): Map<string, string> {
  const assigned = new Map<string, string>();
  for (const group of groupsOf(claims)) {
    const claimantsOf = new Map<string, Set<string>>();
    for (const claimant of group) {
      for (const id of claims.get(claimant) ?? []) {
        claimantsOf.set(id, (claimantsOf.get(id) ?? new Set()).add(claimant));
      }
    }
    // There must be as many of both, otherwise something is left over: a publication without a creator, or a claimant
    // that could take another's.
    if (claimantsOf.size !== group.length) continue;
    const found = new Map<string, string>();
    for (let forced = pickForced(claimantsOf); forced !== undefined; forced = pickForced(claimantsOf)) {
      found.set(forced.claimant, forced.id);
      claimantsOf.delete(forced.id);
      for (const others of claimantsOf.values()) others.delete(forced.claimant);
    }
    if (found.size === group.length) for (const [claimant, id] of found) assigned.set(claimant, id);
  }
  return assigned;
}

/** A publication with only one claimant left. If there is only one assignment, there always is one. */
function pickForced(
  claimantsOf: ReadonlyMap<string, ReadonlySet<string>>,
): { claimant: string; id: string } | undefined {
  for (const [id, claimants] of claimantsOf) {
    const [claimant] = claimants;
    if (claimant !== undefined && claimants.size === 1) return { claimant, id };
  }
  return undefined;
}

/** Claimants that share publications, directly or through others; those without any are left out. */
function groupsOf(claims: ReadonlyMap<string, readonly string[]>): string[][] {
  const claimantsOf = new Map<string, string[]>();
  for (const [claimant, ids] of claims) {
    for (const id of ids) claimantsOf.set(id, [...(claimantsOf.get(id) ?? []), claimant]);
  }
  const groups: string[][] = [];
  const placed = new Set<string>();
  for (const [first, ids] of claims) {
    if (placed.has(first) || ids.length === 0) continue;
    const group = [first];
    placed.add(first);
    for (let at = 0; at < group.length; at += 1) {
      for (const id of claims.get(group[at] ?? '') ?? []) {
        for (const other of claimantsOf.get(id) ?? []) {
          if (placed.has(other)) continue;
          placed.add(other);
          group.push(other);
        }
      }
    }
    groups.push(group);
  }
  return groups;
}
