/** A weight of 1 (all calls) in basis points. Calculations use integers so that sums are exact. */
const FULL_WEIGHT = 10_000
/** The slider leaves at least one percent to each of the other agents. */
const MIN_SLIDER_POINTS = 100
/** The server accepts sums within this distance of 1. */
const TOLERANCE = 0.001
/** Rounding error of binary floating point. */
const ROUNDING_ERROR = 1e-9

/** Converts a weight to percent with two decimals. */
export const toPercent = (weight: number): number => Math.round(weight * FULL_WEIGHT) / 100

export const calculateSum = (weights: readonly number[]): number => weights.reduce((sum, weight) => sum + weight, 0)

/** Whether the server accepts the weights: all are above 0 and they add up to 1. */
export function isValidDistribution(weights: readonly number[]): boolean {
  return (
    weights.length === 0 ||
    (weights.every((weight) => weight > 0) && Math.abs(calculateSum(weights) - 1) <= TOLERANCE + ROUNDING_ERROR)
  )
}

export function splitEvenly(count: number): number[] {
  return distribute(FULL_WEIGHT, Array<number>(count).fill(1)).map(fromBasisPoints)
}

/** Sets one weight with the slider. The other weights keep their proportions. */
export function slideWeight(weights: readonly number[], index: number, weight: number): number[] {
  const maxPoints = FULL_WEIGHT - (weights.length - 1) * MIN_SLIDER_POINTS
  const points = Math.max(1, Math.min(maxPoints, toBasisPoints(weight)))
  return setWeight(weights, { index, weight: weights.length === 1 ? 1 : fromBasisPoints(points) }, [])
}

/**
 * Sets one weight. The weights at `fixedIndexes` do not change; all others share the remainder in proportion. If there is no
 * remainder, they get the minimum, and the user must correct the sum.
 */
export function setWeight(
  weights: readonly number[],
  { index, weight }: { readonly index: number; readonly weight: number },
  fixedIndexes: readonly number[],
): number[] {
  const fixedIndexSet = new Set([...fixedIndexes, index])
  const points = weights.map((current, i) => Math.max(1, toBasisPoints(i === index ? weight : current)))
  const freeIndexes = [...weights.keys()].filter((i) => !fixedIndexSet.has(i))
  const freePoints = distribute(
    FULL_WEIGHT - calculateSum(points.filter((_points, i) => fixedIndexSet.has(i))),
    freeIndexes.map((i) => weights[i] ?? 0),
  )
  return points.map((value, i) =>
    fromBasisPoints(fixedIndexSet.has(i) ? value : (freePoints[freeIndexes.indexOf(i)] ?? 1)),
  )
}

/** Adds an index to the typed weights. Drops the oldest ones so that at least one other weight can change. */
export function addTypedIndex(typedIndexes: readonly number[], index: number, count: number): number[] {
  const otherIndexes = typedIndexes.filter((typedIndex) => typedIndex !== index && typedIndex < count)
  return [...otherIndexes, index].slice(-Math.max(1, count - 1))
}

/** Adds an agent with an equal weight. The other weights keep their proportions. */
export function addWeight(weights: readonly number[]): number[] {
  const newPoints = Math.round(FULL_WEIGHT / (weights.length + 1))
  return [...distribute(FULL_WEIGHT - newPoints, weights), newPoints].map(fromBasisPoints)
}

/** Removes a weight and distributes it to the other agents in proportion. */
export function removeWeight(weights: readonly number[], index: number): number[] {
  return distribute(
    FULL_WEIGHT,
    weights.filter((_weight, i) => i !== index),
  ).map(fromBasisPoints)
}

const toBasisPoints = (weight: number): number => Math.round(weight * FULL_WEIGHT)
const fromBasisPoints = (points: number): number => points / FULL_WEIGHT

/** Splits an integer into integers of at least 1, in proportion. They add up to the total if the total is large enough. */
function distribute(total: number, proportions: readonly number[]): number[] {
  const sum = calculateSum(proportions)
  const exactParts = proportions.map((proportion) =>
    sum > 0 ? (total * proportion) / sum : total / proportions.length,
  )
  const parts = exactParts.map((part) => Math.max(1, Math.floor(part)))
  let remainder = total - calculateSum(parts)
  // Compensates the largest rounding losses first.
  const losses = exactParts
    .map((part, index) => ({ index, loss: part - (parts[index] ?? 0) }))
    .sort((a, b) => b.loss - a.loss)
  for (const { index } of losses) {
    if (remainder <= 0) break
    parts[index] = (parts[index] ?? 0) + 1
    remainder -= 1
  }
  // Reduces the largest parts if parts were raised to 1.
  while (remainder < 0) {
    const largestIndex = parts.indexOf(Math.max(...parts))
    const reduction = Math.min(-remainder, (parts[largestIndex] ?? 1) - 1)
    if (reduction <= 0) break
    parts[largestIndex] = (parts[largestIndex] ?? 1) - reduction
    remainder += reduction
  }
  return parts
}
