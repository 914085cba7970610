/**
 * Resolution of the weights of inbound agents, which range from above 0 to 1. Calculations use whole hundredths of a percent,
 * which add up exactly.
 */

const POINTS = 10_000
/** The slider leaves at least one percent to each agent. */
const SLIDER_STEP_POINTS = 100
/** The server accepts sums within this distance of 1. */
const TOLERANCE = 0.001
/** Rounding error of binary floating point. */
const ROUNDING = 1e-9

/** Converts a weight to percent with two decimals. */
export const toPercent = (weight: number): number => Math.round(weight * POINTS) / 100

export const calculateSum = (weights: readonly number[]): number => weights.reduce((sum, weight) => sum + weight, 0)

/** Whether the weights cover all calls and can be saved. */
export function isComplete(weights: readonly number[]): boolean {
  return (
    weights.length === 0 ||
    (weights.every((weight) => weight > 0) && Math.abs(calculateSum(weights) - 1) <= TOLERANCE + ROUNDING)
  )
}

export function splitEvenly(count: number): number[] {
  return distribute(POINTS, Array<number>(count).fill(1)).map(fromPoints)
}

/** Moves one weight with the slider. The other weights keep their proportions. */
export function moveWeight(weights: readonly number[], index: number, weight: number): number[] {
  const most = POINTS - (weights.length - 1) * SLIDER_STEP_POINTS
  const points = Math.max(1, Math.min(most, toPoints(weight)))
  return changeWeight(weights, { index, weight: weights.length === 1 ? 1 : fromPoints(points) }, [])
}

/**
 * Sets one typed weight. The weights at `held` stay; the others share the rest in proportion. If nothing is left, they get the
 * minimum, and the user must correct the sum.
 */
export function changeWeight(
  weights: readonly number[],
  { index, weight }: { readonly index: number; readonly weight: number },
  held: readonly number[],
): number[] {
  const fixed = new Set([...held, index])
  const changed = weights.map((each, at) => Math.max(1, toPoints(at === index ? weight : each)))
  const free = changed.flatMap((_points, at) => (fixed.has(at) ? [] : [at]))
  const left = POINTS - changed.reduce((sum, points, at) => (fixed.has(at) ? sum + points : sum), 0)
  const spread = distribute(
    left,
    free.map((at) => weights[at] ?? 0),
  )
  return changed.map((points, at) => fromPoints(fixed.has(at) ? points : (spread[free.indexOf(at)] ?? 1)))
}

/** Returns the latest typed weights, leaving at least one other agent to take the rest. */
export function keepTypedWeights(held: readonly number[], index: number, count: number): number[] {
  const others = held.filter((at) => at !== index && at < count)
  return [...others, index].slice(-Math.max(1, count - 1))
}

/** Adds an agent with an equal weight. The other weights keep their proportions. */
export function addWeight(weights: readonly number[]): number[] {
  const added = Math.round(POINTS / (weights.length + 1))
  return [...distribute(POINTS - added, weights), added].map(fromPoints)
}

/** Removes a weight and distributes it to the other agents in proportion. */
export function removeWeight(weights: readonly number[], index: number): number[] {
  return distribute(
    POINTS,
    weights.filter((_weight, at) => at !== index),
  ).map(fromPoints)
}

const toPoints = (weight: number): number => Math.round(weight * POINTS)
const fromPoints = (points: number): number => points / POINTS

/**
 * Splits a whole number in proportion into whole numbers of at least 1. They add up to the total if the total is large enough.
 */
function distribute(total: number, proportions: readonly number[]): number[] {
  const sum = calculateSum(proportions)
  const exact = proportions.map((part) => (sum > 0 ? (total * part) / sum : total / proportions.length))
  const parts = exact.map((part) => Math.max(1, Math.floor(part)))
  let rest = total - calculateSum(parts)
  // Compensates the largest rounding losses first.
  const byLoss = exact
    .map((part, at) => ({ at, loss: part - (parts[at] ?? 0) }))
    .sort((one, other) => other.loss - one.loss)
  for (const { at } of byLoss) {
    if (rest <= 0) break
    parts[at] = (parts[at] ?? 0) + 1
    rest -= 1
  }
  // Reduces the largest parts to compensate for parts raised to 1.
  while (rest < 0) {
    const largest = parts.indexOf(Math.max(...parts))
    const taken = Math.min(-rest, (parts[largest] ?? 1) - 1)
    if (taken <= 0) break
    parts[largest] = (parts[largest] ?? 1) - taken
    rest += taken
  }
  return parts
}
