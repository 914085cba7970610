import type { PiiCategory } from '@parley/contract/after-conversation'
import type { PersonalRange } from './word-patterns.ts'

/** A number format and its check. */
export interface NumberFormat {
  /** Global pattern that matches a limited number of characters, so that the search time stays linear. */
  readonly pattern: RegExp
  /** Whether the number, in uppercase without separators, is valid. */
  readonly isValid: (compact: string) => boolean
}

export interface NumberRules {
  /** Whether digits without separators match. False if numbers are mostly ids. */
  readonly bareDigits: boolean
}

/** Excludes parts of longer numbers, words and phone numbers. */
const TOKEN_START = '(?<![\\p{L}\\p{N}_]|\\d[-./]|\\+\\d{1,3}[ -])'
const TOKEN_END = '(?![\\p{L}\\p{N}_]|[-./]\\d)'

/** Builds a pattern that matches only as a separate token. */
export function buildTokenPattern(source: string): RegExp {
  return new RegExp(`${TOKEN_START}(?:${source})${TOKEN_END}`, 'giu')
}

/** Finds all numbers that match one of the formats and pass its check. */
export function findNumbers(
  text: string,
  formats: readonly NumberFormat[],
  { category, bareDigits }: NumberRules & { readonly category: PiiCategory },
): PersonalRange[] {
  const ranges: PersonalRange[] = []
  for (const { pattern, isValid } of formats) {
    pattern.lastIndex = 0
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      const { index, 0: matchedText } = match
      const isBare = /^\d+$/.test(matchedText)
      const end = index + matchedText.length
      const isCandidate = isBare
        ? bareDigits && !isItemNumber(text, index)
        : !(matchedText.includes(' ') && isInsideGroups(text, index, end))
      if (isCandidate && isValid(matchedText.replace(/[^\p{L}\p{N}]/gu, '').toUpperCase())) {
        ranges.push({ start: index, end, category })
      } else pattern.lastIndex = index + 1
    }
  }
  return ranges
}

const GROUP_BEFORE = /(?<![\p{L}\d./:-])\d{2,6} $/u
const GROUP_AFTER = /^ \d{2,6}(?![\p{L}\d]|[./:-]\d)/u

/** Whether more groups of digits precede or follow the match, so that it is part of a longer number. */
function isInsideGroups(text: string, start: number, end: number): boolean {
  return GROUP_BEFORE.test(text.slice(Math.max(0, start - 8), start)) || GROUP_AFTER.test(text.slice(end, end + 9))
}

const ITEM_WORDS =
  '(?:order|booking|reservation|reference|ref|invoice|receipt|ticket|tracking|case|confirmation|article|item|product|part|serial|model|sku|ean|gtin|isbn|barcode|transaction|shipment|parcel|version|release|build|firmware|' +
  'bestell(?:ung|ungs)?|auftrags?|buchungs?|reservierungs?|rechnungs?|vorgangs?|artikel|sendungs?|serien|paket|beleg|produkt|referenz|' +
  'commande|réservation|facture|référence|dossier|colis|suivi|produit|' +
  'pedido|reserva|factura|referencia|artículo|seguimiento|envío|producto|' +
  'ordine|prenotazione|fattura|riferimento|articolo|spedizione|prodotto|' +
  'bestelling|boekings?|reserverings?|factuur|referentie|zending|zendings|pakket)'
const ITEM_NUMBER_PREFIX = new RegExp(
  `(?<!\\p{L})${ITEM_WORDS}[- ]?(?:number|nummer|num(?:éro|ero)|número|nr|no|n[º°]|id|code|nos?)?\\.?(?:\\s(?:is|was|ist|lautet|est|es|è|van|de))?\\s?[:#]?\\s?#?$`,
  'iu',
)

/** Whether the words before a number show that it identifies an item, such as an order or an invoice. */
export function isItemNumber(text: string, start: number): boolean {
  const precedingText = text.slice(Math.max(0, start - 48), start)
  return ITEM_NUMBER_PREFIX.test(precedingText)
}
