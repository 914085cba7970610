/** An array of numbers with room for at least `length`, the contents kept. */
export function ensureCapacity<Numbers extends Int32Array | Uint32Array | Uint8Array>(
  array: Numbers,
  length: number,
): Numbers {
  if (length <= array.length) return array
  const larger = new (array.constructor as new (length: number) => Numbers)(Math.max(length, array.length * 2, 64))
  larger.set(array)
  return larger
}
