/** Collected values by name; `null` clears a variable. */
export type VariableUpdates = Readonly<Record<string, string | null>>

/** Applies updates to collected variables. A cleared variable falls back to its initial value, if any. */
export function applyVariableUpdates(
  collected: Readonly<Record<string, string>>,
  updates: VariableUpdates,
): Readonly<Record<string, string>> {
  const entries = Object.entries({ ...collected, ...updates })
  return Object.fromEntries(entries.flatMap(([name, value]) => (value === null ? [] : [[name, value]])))
}

/** Returns the updates that change something. Clearing a variable that was never collected changes nothing. */
export function selectChangedVariables(
  collected: Readonly<Record<string, string>>,
  updates: VariableUpdates,
): VariableUpdates {
  const entries = Object.entries(updates)
  return Object.fromEntries(entries.filter(([name, value]) => value !== null || Object.hasOwn(collected, name)))
}

/** Creates updates that clear variables. */
export function clearVariables(names: readonly string[]): VariableUpdates {
  return Object.fromEntries(names.map((name) => [name, null]))
}
