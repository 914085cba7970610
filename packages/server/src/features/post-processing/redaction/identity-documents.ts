import { hasValidDocumentCheck } from './check-digits.ts'
import { standalone } from './number-forms.ts'
import { type PersonalRange, rangesOf } from './personal-ranges.ts'

/** The lines that machines read on passports (2 of 44 signs), visas (2 of 36) and identity cards (3 of 30), ICAO 9303. */
const MACHINE_READABLE = /(?<![A-Za-z0-9<])(?:[A-Z0-9<]{44}|[A-Z0-9<]{36}|[A-Z0-9<]{30})(?![A-Za-z0-9<])/g

/** Such lines: of those with numbers the check digits have to be right, those with names have their fillers. */
export function findMachineReadable(text: string): PersonalRange[] {
  return rangesOf(text, MACHINE_READABLE, 'passport').filter(({ start, end }) => isDocumentLine(text.slice(start, end)))
}

function isDocumentLine(line: string): boolean {
  if (!line.includes('<')) return false
  if (isNameLine(line)) return true
  return line.length === 30 ? isCardLine(line) : isNumberLine(line)
}

/** PETROV<<ANA<<<<<<<<… behind the kind of the document and its country, on cards alone. */
function isNameLine(line: string): boolean {
  const names = line.length === 30 ? line : /^[PVIAC][A-Z<][A-Z<]{3}(.*)$/.exec(line)?.[1]
  return names !== undefined && /^[A-Z]+(?:<[A-Z]+)*(?:<<[A-Z]+(?:<[A-Z]+)*)?<+$/.test(names) && names.includes('<<')
}

/** The second line of passports and visas: number, birth and expiry. */
function isNumberLine(line: string): boolean {
  return (
    /^[A-Z<]{3}\d{6}\d[MFX<]\d{6}\d/.test(line.slice(10)) &&
    isChecked(line, 0, 9) &&
    isChecked(line, 13, 19) &&
    isChecked(line, 21, 27)
  )
}

/** The first line of cards holds their number, the second birth and expiry. */
function isCardLine(line: string): boolean {
  if (/^[ACI][A-Z<]{4}/.test(line)) return isChecked(line, 5, 14)
  return /^\d{7}[MFX<]\d{7}[A-Z<]{3}/.test(line) && isChecked(line, 0, 6) && isChecked(line, 8, 14)
}

/** Whether the sign at `check` is that of those from `start` up to it. */
function isChecked(line: string, start: number, check: number): boolean {
  return hasValidDocumentCheck(line.slice(start, check), line.charAt(check))
}

/** MORGA657054SM9IJ: name, day of birth (months of women 50 higher), initials, and signs of the office. */
const BRITISH_LICENCE = standalone(
  '(?=[a-z9]{5})[a-z]{1,5}9{0,4} ?\\d(?:0[1-9]|1[0-2]|5[1-9]|6[0-2])(?:0[1-9]|[12]\\d|3[01])\\d ?[a-z][a-z9]\\d[a-z]{2}(?: ?\\d{2})?',
)

/** Driving licences that need no word before them: British ones. */
export function findDrivingLicences(text: string): PersonalRange[] {
  return rangesOf(text, BRITISH_LICENCE, 'driver_license').filter(({ start, end }) => {
    return /^[a-z9]{5} ?\d/i.test(text.slice(start, end))
  })
}
