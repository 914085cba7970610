/**
 * Shares of the calls to a number. They are counted in hundredths of a percent, as whole numbers, so that they add up exactly.
 * Every function answers shares from 0 to 1, none of them 0.
 */

const POINTS = 10_000
/** The slider leaves each agent at least one percent. */
const SLIDER_STEP_POINTS = 100
/** How far a sum may be from 1, as the server has it. */
const TOLERANCE = 0.001
/** Decimal shares rarely add up exactly in binary. */
const ROUNDING = 1e-9

/** A share in percent with two decimals, as people read and type it. */
export const percentOf = (weight: number): number => Math.round(weight * POINTS) / 100

export const sumOf = (weights: readonly number[]): number => weights.reduce((sum, weight) => sum + weight, 0)

/** Whether shares can be saved: all of the calls and not more. */
export function isWhole(weights: readonly number[]): boolean {
  return (
    weights.length === 0 ||
    (weights.every((weight) => weight > 0) && Math.abs(sumOf(weights) - 1) <= TOLERANCE + ROUNDING)
  )
}

/** The same share for each, as far as hundredths of a percent go. */
export function shareEqually(count: number): number[] {
  return distribute(POINTS, Array<number>(count).fill(1)).map(fromPoints)
}

/** One share as the slider moves it: the others keep their proportions within what it leaves. */
export function slideWeight(weights: readonly number[], index: number, weight: number): number[] {
  const most = POINTS - (weights.length - 1) * SLIDER_STEP_POINTS
  const points = Math.max(1, Math.min(most, toPoints(weight)))
  return changeWeight(weights, { index, weight: weights.length === 1 ? 1 : fromPoints(points) }, [])
}

/**
 * One share as it was typed. The shares at `held`, which were typed before, stay; the others take what is left, in their
 * proportions. Where nothing is left for them, they get the least there is and the sum is more than 1, for the person to mend.
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

/** Which shares stay when the next one is typed: the last ones, so that at least one other can take the rest. */
export function holdTyped(held: readonly number[], index: number, count: number): number[] {
  const others = held.filter((at) => at !== index && at < count)
  return [...others, index].slice(-Math.max(1, count - 1))
}

/** Another agent at the end, with the share that it would have if all were equal; the others keep their proportions. */
export function addWeight(weights: readonly number[]): number[] {
  const added = Math.round(POINTS / (weights.length + 1))
  return [...distribute(POINTS - added, weights), added].map(fromPoints)
}

/** An agent less: the others take its share in their proportions. */
export function removeWeight(weights: readonly number[], index: number): number[] {
  return distribute(
    POINTS,
    weights.filter((_weight, at) => at !== index),
  ).map(fromPoints)
}

const toPoints = (weight: number): number => Math.round(weight * POINTS)
const fromPoints = (points: number): number => points / POINTS

/** Divides a whole number in given proportions into whole numbers of at least 1, which add up to it where it is large enough. */
function distribute(total: number, proportions: readonly number[]): number[] {
  const sum = sumOf(proportions)
  const exact = proportions.map((part) => (sum > 0 ? (total * part) / sum : total / proportions.length))
  const parts = exact.map((part) => Math.max(1, Math.floor(part)))
  let rest = total - sumOf(parts)
  // Who lost most by rounding gets one more first.
  const byLoss = exact
    .map((part, at) => ({ at, loss: part - (parts[at] ?? 0) }))
    .sort((one, other) => other.loss - one.loss)
  for (const { at } of byLoss) {
    if (rest <= 0) break
    parts[at] = (parts[at] ?? 0) + 1
    rest -= 1
  }
  // Those that were lifted to 1 take it from the largest.
  while (rest < 0) {
    const largest = parts.indexOf(Math.max(...parts))
    const taken = Math.min(-rest, (parts[largest] ?? 1) - 1)
    if (taken <= 0) break
    parts[largest] = (parts[largest] ?? 1) - taken
    rest += taken
  }
  return parts
}
