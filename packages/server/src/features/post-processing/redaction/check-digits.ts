/** Whether digits without separators pass the Luhn check (ISO/IEC 7812-1) of card numbers and some national ids. */
export function hasValidLuhn(digits: string): boolean {
  let sum = 0
  for (let index = 0; index < digits.length; index += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - index) - 48
    sum += index % 2 === 0 ? digit : sumDigits(digit * 2)
  }
  return sum % 10 === 0 && /[1-9]/.test(digits)
}

/** Calculates the remainder of ISO 7064, MOD 97-10, with letters as in IBANs (A = 10). A remainder of 1 is valid. */
export function computeMod97(characters: string): number {
  let remainder = 0
  for (const character of characters) {
    const value = Number.parseInt(character, 36)
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97
  }
  return remainder
}

/** Whether the last digit is a valid check digit of ISO 7064, MOD 11,10. */
export function hasValidMod11And10(digits: string): boolean {
  let product = 10
  for (const character of digits.slice(0, -1)) {
    const sum = (Number(character) + product) % 10 || 10
    product = (sum * 2) % 11
  }
  return (11 - product) % 10 === Number(digits.at(-1))
}

/** Sums the products of digits and weights. Ignores digits beyond the weights. */
export function computeWeightedSum(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, index) => sum + weight * Number(digits.charAt(index)), 0)
}

/** Sums the digit sums of the products of digits and weights. */
export function computeWeightedCrossSum(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, index) => sum + sumDigits(weight * Number(digits.charAt(index))), 0)
}

function sumDigits(number: number): number {
  return Math.floor(number / 10) + (number % 10)
}

/** Whether the check digit matches ICAO 9303, part 3: weights 7 3 1 over digits, letters (A = 10) and fillers (0). */
export function hasValidDocumentCheck(characters: string, checkDigit: string): boolean {
  let sum = 0
  for (let index = 0; index < characters.length; index += 1) {
    const character = characters.charAt(index)
    const value = character === '<' ? 0 : Number.parseInt(character, 36)
    sum += value * ([7, 3, 1][index % 3] ?? 0)
  }
  return checkDigit === String(sum % 10) || (checkDigit === '<' && /^<*$/.test(characters))
}

/** Whether the digits pass the EAN-13 check, as in article numbers and Swiss insurance numbers. */
export function hasValidArticleCheck(digits: string): boolean {
  return digits.length === 13 && computeWeightedSum(digits, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0
}

/** Whether the month has this day. February has up to 29 days. */
export function isValidMonthDay(month: string, day: string): boolean {
  const daysInMonth = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][Number(month) - 1] ?? 0
  return Number(day) >= 1 && Number(day) <= daysInMonth
}
