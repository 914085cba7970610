import { MONTHS, NUMBERS, WEEKDAYS } from './calendar-words.ts'

/** A kind of fact that is told by its form: a price, a time, a weight. Texts are lower case and without marks. */
export interface AnswerType {
  /** The term of passages that show such a fact; stands in no word. */
  readonly term: string
  /** How it looks in a passage. */
  readonly shown: RegExp
  /** How it is asked for. */
  readonly asked: RegExp
}

/** Any of the words, on its own. */
function words(list: string): RegExp {
  return new RegExp(`\\b(?:${list.trim().replace(/\s*\n\s*/g, '')})\\b`)
}

/** A number of any of the units. */
function measured(units: string): RegExp {
  return new RegExp(`\\d\\s?(?:${units})\\b`)
}

function anyOf(...expressions: readonly RegExp[]): RegExp {
  return new RegExp(expressions.map(({ source }) => source).join('|'))
}

/** Of prices up to addresses. Each expression reads a text once: none of them can be made to run long. */
export const ANSWER_TYPES: readonly AnswerType[] = [
  {
    term: ' money',
    shown: anyOf(
      /[€$£¥₹]\s?\d|\d\s?[€$£¥₹]/,
      measured('eur|usd|gbp|chf|euros?|dollars?|pounds?|cents?|pence|francs?|franken|kr|kronor|kroner|zl|pln'),
      words(`free of charge|for free|for nothing|costs? nothing|kostenlos|kostenfrei|gebuhrenfrei|gratis|gratuite?s?|
        gratuit[oa]s?|included|inklusive|inclus[a-z]*|incluid[oa]s?`),
    ),
    asked:
      words(`how much|costs?|prices?|priced|pricing|charged?|charges|fees?|expensive|cheap|cheaper|pay|paid|owe|penalty|
      tuition|surcharge|bill|afford|free|money|kostet|kosten|preise?|gebuhr(?:en)?|zahlen?|bezahlen|teuer|billig|wie ?viel|entgelt|
      kostenlos|combien|prix|tarifs?|payer|coute[a-z]*|cher|gratuite?|cuanto|cuestan?|precios?|cuota|pago|pagar|caro|gratis|quanto|
      costan?o?|prezz[oi]|pagare|hoeveel|prijs|prijzen|betaal|betalen|duur`),
  },
  {
    term: ' clock',
    shown:
      words(`\\d{1,2}:\\d\\d|\\d{1,2}(?:[.:]\\d\\d)?\\s?(?:am|pm|a\\.m|p\\.m|uhr|h|o.clock|ore|uur)|noon|midnight|midday|morning|
      afternoon|evening|mittags?|vormittags?|nachmittags?|abends?|midi|minuit|matin|soir|manana|tarde|mediodia|mattina|pomeriggio|sera`),
    asked:
      words(`when|(?:what|which) time|times|hours|until|till|open(?:s|ed|ing)?|clos(?:es?|ed|ing)|early|late|wann|uhr|uhrzeit|
      offnet|offnen|geoffnet|schliesst|auf|zu|offnungszeiten|quelle heure|quand|ouvr[a-z]+|ferm[a-z]+|horaires?|horas?|horarios?|
      cuando|abren?|abierto|cierran?|che ora|orari|orario|quando|apre|chiude|hoe laat|wanneer`),
  },
  {
    term: ' weekday',
    shown: words(WEEKDAYS),
    asked:
      words(`${WEEKDAYS}|when|(?:which|what) days?|days|open|opens|opening|closed|wann|welche[nmr]? tage?n?|tage|geoffnet|quand|
      quels? jours?|jours|cuando|que dias?|dias|quando|che giorn[oi]|wanneer|welke dag(?:en)?`),
  },
  {
    term: ' date',
    shown: words(`${MONTHS}|\\d{1,2} (?:may|march|mars)|(?:in|to|from|until|till|of|since|by|de|en) (?:may|march|mars)|
      \\d{1,2}[./]\\d{1,2}[./]\\d{2,4}|\\d{4}-\\d\\d-\\d\\d`),
    asked:
      words(`${MONTHS}|march|mars|when|(?:which|what) months?|dates?|months|last day|latest|deadline|season|due|by when|wann|
      monate?n?|datum|stichtag|frist|quand|mois|saison|cuando|fecha|meses|temporada|quando|data|mesi|wanneer|maanden`),
  },
  {
    term: ' duration',
    shown:
      words(`(?:${NUMBERS})[ -]?(?:(?:working|business|calendar|full) )?(?:years?|months?|weeks?|days?|nights?|hours?|minutes?|
      seconds?|jahre?n?|monate?n?|wochen?|werktage?n?|tage?n?|stunden?|minuten?|sekunden?|ans?|annees?|mois|semaines?|jours?|heures?|
      secondes?|anos?|meses|semanas?|dias?|horas?|minutos?|segundos?|ann[oi]|mes[ei]|settiman[ae]|giorn[oi]|or[ae]|minut[oi]|jaar|
      maand(?:en)?|weken|dag(?:en)?|uur)`),
    asked:
      words(`how (?:long|soon|fast|quickly)|how many (?:more )?(?:years?|months?|weeks?|days?|nights?|hours?|minutes?|seconds?)|
      notice|duration|period|warranty|guarantee|wie lange|dauert|dauer|wie viele (?:jahre|monate|wochen|tage|stunden|minuten)|frist|
      laufzeit|garantie|combien de (?:temps|jours|mois|semaines|heures|minutes|nuits)|duree|delai|dure|
      cuant[oa]s? (?:tiempo|dias|meses|semanas|horas|minutos)|plazo|dura|duracion|
      quant[oaie] (?:tempo|giorni|mesi|settimane|ore|minuti)|durata|hoe ?lang|hoeveel (?:dagen|weken|maanden|uur)|duurt`),
  },
  {
    term: ' weight',
    shown: measured('kg|kilos?|kilograms?|kilogramm|g|grams?|gramm|grammes?|gramos?|lbs?|pounds|tonn?e?s?|tonnen'),
    asked:
      words(`weighs?|weighing|weight|heavy|kilos?|kg|schwer|wiegt|wiegen|gewicht|poids|pese|lourd|pesa|peso|pesado|pesante|
      weegt|zwaar`),
  },
  {
    term: ' length',
    shown: measured('mm|cm|m|km|met(?:re|er)s?|kilomet(?:re|er)s?|miles?|inch(?:es)?|feet|ft|metern?|metros?|metri|m2'),
    asked: words(`how (?:far|high|wide|tall|deep|big|large)|tall|sizes?|dimensions?|distance|height|width|depth|miles|
      kilomet(?:re|er)s|met(?:re|er)s|range|fits?|wie (?:weit|hoch|breit|lang|tief|gross)|masse|hohe|breite|tiefe|entfernung|
      reichweite|hauteur|largeur|taille|distancia|altura|anchura|tamano|medidas|distanza|altezza|larghezza|misure|afstand|hoogte|
      breedte`),
  },
  {
    term: ' volume',
    shown: measured('l|ml|cl|lit(?:re|er)s?|litern?|litros?|litri|gallons?|pints?|cups?|tassen'),
    asked:
      words(`how much (?:water|liquid|soap|detergent|fuel|milk|oil)|lit(?:re|er)s?|volume|capacity|tank|fassungsvermogen|
      wie ?viel (?:wasser|milch)|combien d.eau|capacite|cuanta agua|litros|capacidad|quanta acqua|litri|hoeveel water`),
  },
  {
    term: ' data',
    shown: measured('gb|mb|tb|kb|gigabytes?|megabytes?|gbit|mbit|kbit|mbps|gbps'),
    asked: words(
      'gb|mb|gigabytes?|megabytes?|data|datenvolumen|volume|bandwidth|storage|speicher|donnees|datos|dati|mbit',
    ),
  },
  {
    term: ' percent',
    shown: /\d\s?(?:%|percent|per cent|prozent|pour cent|por ciento|procent|per cento)/,
    asked:
      words(`interest|rates?|percent|percentage|per cent|discounts?|reduction|zinsen|zinssatz|zins|prozent|rabatt|ermassigung|
      taux|remise|pourcentage|tasa|interes|descuento|tasso|interesse|sconto|rente|korting`),
  },
  {
    term: ' temperature',
    shown: /\d\s?(?:°|degrees?|grad|degres?|grados|gradi|graden)/,
    asked:
      words(`how (?:hot|warm|cold)|temperatures?|degrees|temperatur(?:en)?|wie (?:warm|kalt|heiss)|grad|degres|temperatura|
      grados|gradi|temperatuur`),
  },
  {
    term: ' speed',
    shown: measured('km/h|kmh|mph|rpm|u/min|mbit/s|kbit/s|gbit/s|tr/min'),
    asked:
      words(`how (?:fast|quick)|speeds?|faster|wie schnell|geschwindigkeit|tempo|vitesse|rapide|velocidad|rapido|velocita|
      snelheid|snel`),
  },
  {
    term: ' loudness',
    shown: measured('db|dba|decibels?|dezibel|decibelios|decibeles'),
    asked:
      words(`loud|noise|noisy|quiet|silent|decibels?|laut|leise|larm|bruit|bruyante?|silencieux|ruido|ruidos[oa]|rumore|
      rumoros[oa]|geluid|lawaai`),
  },
  {
    term: ' phone',
    shown: /(?:\+|(?<!\d)0|\(0)\d[\d ()/.-]{5,20}\d/,
    asked:
      words(`phone|telephone|call|ring|hotline|whom?|contact|reach|emergency|anrufen|anruf|telefon|telefonnummer|notfall|
      kontakt|erreichen?|wen|appeler|contacter|joindre|urgence|qui|llamar|llamo|telefono|contactar|chiamare|chiamo|contattare|
      bellen|telefoon`),
  },
  {
    term: ' internet',
    shown: /[a-z0-9]@[a-z0-9]|https?:\/\/|www\.[a-z]/,
    asked:
      words(`e-?mails?|website|web ?site|homepage|url|link|mail|write to|contact|kontakt|schreiben|courriel|ecrire|correo|
      escribir|scrivere|sito`),
  },
  {
    term: ' address',
    shown: anyOf(
      /\d[a-z]?,? (?:[a-z]{1,30} ){1,3}(?:street|road|avenue|lane|square|drive|boulevard|terrace|court|place)\b/,
      words('(?:street|road|avenue|lane|square|drive|terrace|quay|park) \\d{1,5}'),
      /(?:strasse|str\.|platz|gasse|allee|weg|ufer|ring|damm) \d/,
      words(
        `(?:rue|avenue|boulevard|place|quai|chemin|route|calle|avenida|plaza|paseo|via|viale|piazza|corso)[ ](?:d[eu]s? |de la |de l.|del |della )?[a-z]{3,30}`,
      ),
    ),
    asked:
      words(`where|address|located|location|directions|find you|get (?:there|to)|near|wo|adresse|anfahrt|standort|ou|situee?|
      donde|direccion|ubicad[oa]|dove|indirizzo|waar|adres`),
  },
]
