/** What an answer must show for a question of a kind: an amount of money for "how much is", a time for "when". */
export type AnswerForm =
  | 'price'
  | 'time'
  | 'duration'
  | 'number'
  | 'percent'
  | 'distance'
  | 'weight'
  | 'phone'
  | 'email'
  | 'place'
  | 'person'

const asked: readonly (readonly [AnswerForm, RegExp])[] = [
  [
    'phone',
    /\b(?:phone|telephone|hotline)(?: number)?\b|\b(?:which|what) number\b.*\b(?:call|dial|ring)\b|\btelefonnummer\b|\brufnummer\b|\bnum[eé]ro (?:de )?t[eé]l[eé]phone\b|\bn[uú]mero de tel[eé]fono\b/,
  ],
  [
    'email',
    /\be-?mail address\b|\be-?mail-?adresse\b|\badresse (?:e-?mail|[eé]lectronique)\b|\bcorreo electr[oó]nico\b/,
  ],
  [
    'percent',
    /\b(?:interest rate|what percentage|how many percent|percent(?:age)?|zinssatz|wie viel prozent|taux d['’]int[eé]r[eê]t|tipo de inter[eé]s)\b/,
  ],
  [
    'weight',
    /\bhow (?:heavy|much (?:do|does) .{1,60} weigh)\b|\bweight of\b|\bwie schwer\b|\bwas wiegt\b|\bwie ?viel wiegt\b|\bcombien p[eè]se\b|\bcu[aá]nto pesa\b/,
  ],
  ['distance', /\bhow far\b|\bwie weit\b|\b[aà] quelle distance\b|\ba qu[eé] distancia\b/],
  [
    'duration',
    /\bhow long\b(?! is the (?:cable|cord|hose|bed|table|pool))|\bhow many (?:days|weeks|months|years|hours|minutes)\b|\bhow quickly\b|\bhow soon\b|\bwie lange\b|\bwie viele (?:tage|wochen|monate|jahre|stunden|minuten)\b|\bcombien de (?:temps|jours|semaines|mois|ans|heures|minutes)\b|\bcu[aá]nto (?:tiempo|tarda|dura)\b|\bcu[aá]ntos (?:d[ií]as|meses|a[nñ]os)\b/,
  ],
  [
    'price',
    /\bwhat (?:do|will|must|should|would) (?:i|we) (?:have to )?(?:pay|owe)\b|\bwhat do you charge\b|\bhow much (?:is|are|was|were|would|will|do|does|did|to|for|extra|more)\b|\bhow much$|\bhow (?:expensive|cheap)\b|\b(?:what|which|whats)\b.{0,40}\b(?:price|cost|fee|charge)s?\b|\b(?:price|fee|cost|charge)s? (?:of|for)\b|\bwas kostet|\bwas kosten\b|\bwie ?viel (?:kostet|kosten|bezahle|zahle|muss|macht)|\bwie teuer\b|\bwie hoch (?:ist|sind) (?:die|der|das)? ?\S{0,14}(?:preis|geb[uü]hr|kosten|kaution|miete)|\bcombien (?:co[uû]te|co[uû]tent|je |dois|faut|pour|est|[cç]a|vaut|sont)|\bquel est le (?:prix|tarif|co[uû]t)|\bcu[aá]nto (?:cuesta|cuestan|vale|sale|es|hay|pago|tengo)|\bqu[eé] precio\b|\bcost\b.{0,20}\?/,
  ],
  [
    'number',
    /\bhow many\b|\bhow much (?!(?:is|are|do|does)\b)\p{L}{3,}|\bwie ?viel (?!uhr\b)\p{L}{3,}|\bwie viele\b|\bwieviele\b|\bcombien d(?:e\b|['’])|\bcu[aá]nt[oa]s\b|\b(?:what|which) (?:size|capacity)\b|\bhow (?:fast|quick|often|big|large|tall|wide|deep|high|old|loud|hot|warm|powerful)\b|\bwie (?:gross|groß|alt|hoch|laut|tief|breit|heiss|heiß|warm)\b/u,
  ],
  [
    'time',
    /(?:^|[,;:.] ?|\b(?:and|know|since|until|till|by) )when\b|\bhasta cu[aá]ndo\b|\bwhen (?:is|are|do|does|can|will|must|should|did|may|could)\b|\b(?:what|which) (?:time|day|days|hours|date)\b|\bhow (?:late|early)\b|\bby when\b|\bopening (?:hours|times)\b|\bwann\b|\bum wie ?viel uhr\b|\bbis wann\b|\b[oö]ffnungszeiten\b|\bquand\b|\b(?:[aà] )?quelle heure\b|\bhoraires?\b|\bcu[aá]ndo\b|\bqu[eé] hora\b|\bhorarios?\b/,
  ],
  ['place', /\bwhere\b|\bwo\b|\bwohin\b|\bo[uù]\b(?= (?:est|sont|se|puis|peut|trouve|dois|faut))|\bd[oó]nde\b/],
  ['person', /\bwho\b(?!m)|\bwer\b|\bqui (?:est|peut|doit|s['’])|\bqui[eé]n\b/],
]

const number =
  '(?:\\d[\\d.,]*|half|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|eighteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|once|twice|zwanzig|vierzig|f[uü]nfzig|hundert|douze|vingt|quarante|cinquante|cent|doce|veinte|cuarenta|cincuenta|cien|a|an|ein|eine|einen|zwei|drei|vier|f[uü]nf|sechs|sieben|acht|neun|zehn|zw[oö]lf|vierzehn|drei[sß]s?ig|un|une|deux|trois|quatre|cinq|six|sept|huit|dix|quinze|trente|uno|una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|quince|treinta)'
const shown: Readonly<Record<AnswerForm, RegExp>> = {
  price:
    /[€$£¥]|\b(?:eur|euros?|usd|dollars?|chf|francs?|franken|pounds?|pence|cents?|gbp|pesos?)\b|\b(?:free|no (?:extra )?(?:charge|cost|fee)|without charge|costs? nothing|included|complimentary|kostenlos|kostenfrei|gratis|umsonst|inklusive|inbegriffen|im preis|gratuit\w*|inclus\w*|compris\w*|gratuit[oa]s?|incluid[oa]s?|sin coste)\b|\b\d[\d.,]*\s?%/i,
  time: /\b\d{1,2}(?:[:.h]\d{2}| ?h\b)|\b\d{1,2} ?(?:am|pm|a\.m|p\.m|uhr|heures)\b|\b(?:noon|midnight|midday|mittags?|mitternacht|midi|minuit|mediod[ií]a|medianoche)\b|\b(?:mon|tues?|wed|wednes|thu|thurs?|fri|sat|satur|sun)(?:days?)?\b|\b(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)s?\b|\b(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)s?\b|\b(?:lunes|martes|mi[eé]rcoles|jueves|viernes|s[aá]bados?|domingos?)\b|\b(?:january|february|march|april|may|june|july|august|september|october|november|december|januar|februar|m[aä]rz|mai|juni|juli|oktober|dezember|janvier|f[eé]vrier|mars|avril|juin|juillet|ao[uû]t|septembre|octobre|novembre|d[eé]cembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)\b|\b(?:daily|weekdays|weekends?|every (?:day|week|month|year|morning|evening)|t[aä]glich|werktags|jederzeit|tous les jours|chaque (?:jour|semaine|mois)|cada (?:d[ií]a|semana|mes)|todos los d[ií]as|always|any time|around the clock|closed|geschlossen|ferm[eé]|cerrado)\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b|\b\d{4}-\d{2}-\d{2}\b/i,
  duration: new RegExp(
    `${number}(?:\\s?(?:-|–|to|bis|à|a)\\s?${number})?[\\s-](?:\\p{L}+ )?(?:seconds?|minutes?|mins?|hours?|days?|weeks?|months?|years?|sekunden?|minuten?|stunden?|tage?n?|wochen?|monate?n?|jahre?n?|werktage?n?|secondes?|heures?|jours?|semaines?|mois|ans?|ann[eé]es?|segundos?|minutos?|horas?|d[ií]as?|semanas?|meses|a[nñ]os?)(?!\\p{L})|\\b(?:overnight|lifetime|lifelong|unlimited|indefinitely|immediately|same day|sofort|unbegrenzt|imm[eé]diatement|inmediatamente)\\b|\\b\\d+\\s?(?:h|min|s)\\b`,
    'iu',
  ),
  number: new RegExp(
    `\\d|(?<!\\p{L})${number.replace('|a|an|ein|eine|einen', '').replace('|un|une|', '|').replace('|uno|una|', '|')}(?!\\p{L})|\\b(?:unlimited|none|unbegrenzt|illimit\\p{L}+|ilimitad\\p{L}+)`,
    'iu',
  ),
  percent: /\d\s?%|\bper ?cent\b|\bprozent\b|\bpour cent\b|\bpor ciento\b/i,
  distance:
    /\d\s?(?:-\s?)?(?:km|m|metres?|meters?|kilomet\p{L}*|miles?|minutes?|min|minuten|minutos|m[eè]tres|metros?)(?!\p{L})|\b(?:next to|opposite|adjacent|gegen[uü]ber|nebenan)\b/iu,
  weight: /\d\s?(?:kg|g|lbs?|pounds?|kilos?|kilograms?|gramm?s?|tonn?e?s?|t|gramm|kilogramm|gramos|grammes)\b/i,
  phone: /\+?\d[\d ()/-]{4,}\d/,
  email: /\S@\S+\.\S/,
  place:
    /\b(?:at|in|on|behind|next to|opposite|near|beside|under|above|outside|inside|floor|street|level|building|bei|im|am|an|auf|hinter|neben|unter|gegen[uü]ber|stock|etage|[aà]|au|aux|dans|sur|derri[eè]re|pr[eè]s|sous|rue|en|sobre|detr[aá]s|junto|calle|planta)\b|\d/i,
  person: /\p{L}/u,
}

/** The forms that a question asks for; the first one counts. */
export function formOf(question: string): AnswerForm | null {
  const text = question.toLowerCase()
  return asked.find(([, pattern]) => pattern.test(text))?.[0] ?? null
}

/** How well a text shows an answer of this form: 0, 1, or 0.3 for a related form. */
export function formShare(text: string, form: AnswerForm): number {
  if (shown[form].test(text)) return 1
  // "When do I get my money back?" is answered by a duration as well, and "how soon" by a day.
  if (form === 'time') return shown.duration.test(text) ? 0.3 : 0
  return form === 'duration' && shown.time.test(text) ? 0.3 : 0
}

/** Whether a text shows an answer of this form. */
export function showsForm(text: string, form: AnswerForm): boolean {
  return formShare(text, form) > 0
}

/** Words that only say what form of answer is wanted; who shows the form needs none of them. */
export const formWords: Readonly<Partial<Record<AnswerForm, RegExp>>> = {
  price:
    /^(?:price|prices|pricing|owe|cost|costs|fee|fees|charge|charges|charged|rate|pay|paying|expensive|extra|kostet|kosten|preis|preise|gebuhr|bezahlen|zahlen|zahle|teuer|prix|tarif|tarifs|cout|coute|coutent|payer|paye|cher|precio|precios|cuesta|cuestan|cuestan|pagar|pago|vale|tarifa)$/,
  time: /^(?:open|opens|opening|hours|hour|times|time|day|days|start|starts|begin|begins|late|early|latest|earliest|deadline|uhr|offnet|offnungszeiten|geoffnet|beginnt|spatestens|horaires|horaire|heure|heures|ouvre|ouvert|ouverte|hora|horas|abre|abierto|abierta|horario|jour|dia)$/,
  duration:
    /^(?:long|last|lasts|take|takes|time|duration|quickly|soon|fast|days|weeks|months|years|hours|minutes|lange|dauert|tage|wochen|monate|jahre|stunden|minuten|dure|temps|jours|semaines|mois|heures|tiempo|dura|tarda|dias|meses)$/,
  distance: /^(?:far|away|weit|entfernt|loin|distance|distancia|lejos)$/,
  weight: /^(?:weigh|weighs|weight|heavy|wiegt|schwer|gewicht|pese|poids|lourd|pesa|peso)$/,
  percent: /^(?:rate|percent|percentage|prozent|taux|tipo)$/,
  phone: /^(?:phone|telephone|number|call|telefonnummer|telefon|numero|telefono|rufnummer)$/,
  email: /^(?:e?mail|address|adresse|correo|electronico)$/,
  place: /^(?:find|located|situated|address|liegt|befindet|finde|trouve|situe|encuentra|ubicado)$/,
}
