import type { PiiCategory } from '@parley/contract/after-conversation'
import type { PersonalRange } from './word-patterns.ts'

/** A number format and its check. */
export interface NumberForm {
  /** Global pattern of bounded length, so that each position costs the same in any text. */
  readonly pattern: RegExp
  /** Whether the number is valid. Takes the number in capitals without separators. */
  readonly isValid: (compact: string) => boolean
}

export interface NumberRules {
  /** Whether digits without separators count. False where numbers are mostly ids. */
  readonly bareDigits: boolean
}

/** Excludes parts of longer numbers, words and phone numbers. */
const BEFORE = '(?<![\\p{L}\\p{N}_]|\\d[-./]|\\+\\d{1,3}[ -])'
const AFTER = '(?![\\p{L}\\p{N}_]|[-./]\\d)'

/** Builds a pattern that matches only as a separate token. */
export function buildTokenPattern(source: string): RegExp {
  return new RegExp(`${BEFORE}(?:${source})${AFTER}`, 'giu')
}

/** Finds all numbers that match one of the formats and pass its check. */
export function findNumbers(
  text: string,
  forms: readonly NumberForm[],
  { category, bareDigits }: NumberRules & { readonly category: PiiCategory },
): PersonalRange[] {
  const ranges: PersonalRange[] = []
  for (const { pattern, isValid } of forms) {
    pattern.lastIndex = 0
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      const { index, 0: written } = match
      const isBare = /^\d+$/.test(written)
      const end = index + written.length
      const counts = isBare
        ? bareDigits && !isNamedThing(text, index)
        : !(written.includes(' ') && isInsideGroups(text, index, end))
      if (counts && isValid(written.replace(/[^\p{L}\p{N}]/gu, '').toUpperCase())) {
        ranges.push({ start: index, end, category })
      } else pattern.lastIndex = index + 1
    }
  }
  return ranges
}

const GROUP_BEFORE = /(?<![\p{L}\d./:-])\d{2,6} $/u
const GROUP_AFTER = /^ \d{2,6}(?![\p{L}\d]|[./:-]\d)/u

/** Whether groups of digits continue before or after the match, which is then part of a longer number. */
function isInsideGroups(text: string, start: number, end: number): boolean {
  return GROUP_BEFORE.test(text.slice(Math.max(0, start - 8), start)) || GROUP_AFTER.test(text.slice(end, end + 9))
}

const THING_WORDS =
  '(?:order|booking|reservation|reference|ref|invoice|receipt|ticket|tracking|case|confirmation|article|item|product|part|serial|model|sku|ean|gtin|isbn|barcode|transaction|shipment|parcel|version|release|build|firmware|' +
  'bestell(?:ung|ungs)?|auftrags?|buchungs?|reservierungs?|rechnungs?|vorgangs?|artikel|sendungs?|serien|paket|beleg|produkt|referenz|' +
  'commande|réservation|facture|référence|dossier|colis|suivi|produit|' +
  'pedido|reserva|factura|referencia|artículo|seguimiento|envío|producto|' +
  'ordine|prenotazione|fattura|riferimento|articolo|spedizione|prodotto|' +
  'bestelling|boekings?|reserverings?|factuur|referentie|zending|zendings|pakket)'
const NAMED_THING = new RegExp(
  `(?<!\\p{L})${THING_WORDS}[- ]?(?:number|nummer|num(?:éro|ero)|número|nr|no|n[º°]|id|code|nos?)?\\.?(?:\\s(?:is|was|ist|lautet|est|es|è|van|de))?\\s?[:#]?\\s?#?$`,
  'iu',
)

/** Whether the words before a number name a thing, such as an order, an invoice or an article. */
export function isNamedThing(text: string, start: number): boolean {
  const precedingText = text.slice(Math.max(0, start - 48), start)
  return NAMED_THING.test(precedingText)
}
