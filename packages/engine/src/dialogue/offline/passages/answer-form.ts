/** What an answer must show for a question of a kind: an amount of money for "how much is", a time for "when". */
export type AnswerForm =
  | 'price'
  | 'time'
  | 'duration'
  | 'extent'
  | 'length'
  | 'weight'
  | 'volume'
  | 'data'
  | 'speed'
  | 'pace'
  | 'power'
  | 'loudness'
  | 'temperature'
  | 'age'
  | 'distance'
  | 'percent'
  | 'number'
  | 'phone'
  | 'email'
  | 'place'
  | 'person'

/** How a form is asked for in English, German, French and Spanish, lower case; the first that fits counts. */
const asked: readonly (readonly [AnswerForm, RegExp])[] = [
  [
    'phone',
    /\b(?:phone|telephone|hotline)(?: number)?\b.{0,30}\?|\b(?:which|what) number\b.*\b(?:call|dial|ring)\b|\btelefonnummer\b|\brufnummer\b|\bnum[eé]ro (?:de )?t[eé]l[eé]phone\b|\bn[uú]mero de tel[eé]fono\b/,
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
    /\bhow (?:heavy|much (?:do|does|can|may|must) .{1,60} weigh)\b|\bweight of\b|\bhow many (?:kg|kilos?|kilograms?|pounds)\b|\bwie schwer\b|\bwas wiegt\b|\bwie ?viel wiegt\b|\bwie ?viele? (?:kilo|kg|gramm)|\bcombien p[eè]se|\bcombien de kilos\b|\bcu[aá]nto pesa|\bcu[aá]ntos kilos\b/,
  ],
  ['distance', /\bhow (?:far|close|near)\b|\bwie (?:weit|nah)\b|\b[aà] quelle distance\b|\ba qu[eé] distancia\b/],
  [
    'age',
    /\bhow old\b|\b(?:what|which) age\b|\bminimum age\b|\bwie alt\b|\bwelche[ms] alter\b|\bmindestalter\b|\bquel [aâ]ge\b|\bqu[eé] edad\b/,
  ],
  [
    'data',
    /\bhow (?:many (?:gb|gigs?|gigabytes?|mb|megabytes?)|much data)\b|\bwie ?viele? (?:gb|gigabyte|datenvolumen|daten)|\bcombien de (?:go|giga|donn[eé]es)|\bcu[aá]nt[oa]s (?:gb|gigas?|datos)/,
  ],
  [
    'volume',
    /\bhow (?:many (?:lit(?:re|er)s|ml|cups)|much (?:water|liquid|fuel|milk|oil))\b|\bwie ?viele? (?:liter|wasser|milch|ml)\b|\bcombien (?:de litres|d['’]eau)|\bcu[aá]nt[oa]s? (?:litros|agua)\b/,
  ],
  [
    'power',
    /\bhow (?:many (?:watts?|kwh|kilowatts?)|much (?:power|electricity|energy|current))\b|\bwie ?viele? (?:watt|strom|kwh|kilowatt)|\bcombien de (?:watts|courant)|\bcu[aá]nt[oa]s? (?:vatios|electricidad|luz)\b/,
  ],
  ['loudness', /\bhow (?:loud|noisy|quiet|silent|many decibels?)\b|\bwie (?:laut|leise)\b|\bdecibels?\b.*\?/],
  [
    'temperature',
    /\bhow (?:hot|warm|cold)\b|\b(?:what|which) temperatures?\b|\bhow many degrees\b|\bwie (?:warm|hei(?:ss|ß)|kalt)\b|\bwelche temperatur|\bquelle temp[eé]rature\b|\bqu[eé] temperatura\b/,
  ],
  ['pace', /\bhow (?:fast|quick)\b|\bwie schnell\b/],
  [
    'speed',
    /\bspeed of\b|\b(?:what|which) speed\b|\b(?:top|maximum|max) speed\b|\bwelche geschwindigkeit|\bquelle vitesse\b|\bqu[eé] velocidad\b/,
  ],
  ['extent', /\bhow long (?:is|are) (?!it\b)|\bwie lang (?:ist|sind)\b/],
  [
    'duration',
    /\bhow long\b|\bhow many (?:\p{L}+ )?(?:days|weeks|months|years|hours|minutes)\b|\bhow quickly\b|\bhow soon\b|\bwie lange?\b|\bwie viele (?:tage|wochen|monate|jahre|stunden|minuten)\b|\bcombien de (?:temps|jours|semaines|mois|ans|heures|minutes)\b|\bcu[aá]nto (?:tiempo|tarda|dura)\b|\bcu[aá]ntos (?:d[ií]as|meses|a[nñ]os)\b/u,
  ],
  [
    'price',
    /\bwhat (?:do|will|must|should|would) (?:i|we) (?:have to )?(?:pay|owe)\b|\b(?:hourly|daily|nightly|weekly|monthly|yearly|day|night) rates?\b|\bwhat are (?:the|your) rates\b|\bwhat do (?:you|they) (?:charge|ask)\b|\bhow much (?:is|are|was|were|would|will|do|does|did|to|for|extra|more|must|should|can|it)\b|\bhow much\W*$|\bhow (?:expensive|cheap)\b|\b(?:what|which|whats)\b.{0,40}\b(?:price|cost|fee|charge)s?\b|\b(?:price|fee|cost|charge)s? (?:of|for)\b|\bwas kostet|\bwas kosten\b|\bwas (?:zahle|zahlt|bezahle|muss ich .{0,20}zahlen|verlang)|\bwie ?viel (?:kostet|kosten|bezahle|zahle|muss|macht)|\bwie teuer\b|\bwie hoch (?:ist|sind) (?:die|der|das)? ?\S{0,14}(?:preis|geb[uü]hr|kosten|kaution|miete|zuschlag)|\bcombien (?:co[uû]te|co[uû]tent|je |dois|faut|pour|est|[cç]a|vaut|sont)|\bquel(?:le)? est (?:le|la) (?:prix|tarif|co[uû]t|montant)|\bquel (?:prix|tarif)\b|\bcu[aá]nto (?:cuesta|cuestan|vale|sale|es|hay|pago|tengo|cobra)|\bqu[eé] (?:precio|cuesta|cuestan)\b|\bcost\b.{0,20}\?/,
  ],
  [
    'length',
    /\bhow (?:tall|high|wide|deep|thick)\b|\bwie (?:hoch|breit|tief|dick)\b|\bquelle (?:hauteur|largeur|longueur|profondeur)\b|\bcu[aá]nto mide|\bqu[eé] (?:altura|anchura|profundidad|largo)\b/,
  ],
  [
    'number',
    /\bhow many\b|\bhow much (?!(?:is|are|do|does)\b)\p{L}{3,}|\bwie ?viel (?!uhr\b)\p{L}{3,}|\bwie viele\b|\bwieviele\b|\bcombien d(?:e\b|['’])|\bcu[aá]nt[oa]s\b|\b(?:what|which) (?:size|capacity)\b|\bhow (?:often|big|large|powerful)\b|\bwie (?:gross|groß|oft)\b/u,
  ],
  [
    'time',
    /(?:^|[,;:.] ?|\b(?:and|know|since|until|till|by) )when\b|\bhasta cu[aá]ndo\b|\bwhen (?:is|are|do|does|can|will|must|should|did|may|could)\b|\b(?:what|which) (?:time|day|days|hours|date)\b|\bhow (?:late|early)\b|\bby when\b|\bopening (?:hours|times)\b|\bwann\b|\bum wie ?viel uhr\b|\bbis wann\b|\b[oö]ffnungszeiten\b|\bwelche[mnr]? tage?n?\b|\bquand\b|\b(?:[aà] )?quelle heure\b|\bquels? jours?\b|\bhoraires?\b|\bcu[aá]ndo\b|\bqu[eé] (?:hora|d[ií]as?)\b|\bhorarios?\b/,
  ],
  ['place', /\bwhere\b|\bwo\b|\bwohin\b|\bo[uù]\b(?= (?:est|sont|se|puis|peut|trouve|dois|faut))|\bd[oó]nde\b/],
  ['person', /\bwho\b(?!m)|\bwer\b|\bqui (?:est|peut|doit|s['’]|donne|dirige)|\bqui[eé]n\b/],
]

const figure =
  '(?:(?<!\\d)\\d[\\d.,]{0,20}|half|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|eighteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|once|twice|zwei|drei|vier|f[uü]nf|sechs|sieben|acht|neun|zehn|zw[oö]lf|vierzehn|zwanzig|drei[sß]s?ig|vierzig|f[uü]nfzig|hundert|deux|trois|quatre|cinq|sept|huit|neuf|dix|douze|quinze|vingt|trente|quarante|cinquante|cent|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|doce|quince|veinte|treinta|cuarenta|cincuenta|cien)'
/** "€ 14 an hour" is a price and no time that anything takes. */
const single =
  '(?<!\\d ?)(?<!(?:[€$£]|euros?|pounds?|pence|cents?|dollars?|prices?|rates?) )(?:an?|ein|eine[rnms]?|une?|una)'
const spanOfTime =
  '(?:seconds?|minutes?|mins?|hours?|days?|weeks?|months?|years?|sekunden?|minuten?|stunden?|tage?n?|wochen?|monate?n?|jahre?n?|werktage?n?|secondes?|heures?|jours?|semaines?|mois|ans|ann[eé]es?|segundos?|minutos?|horas?|d[ií]as?|semanas?|meses|mes|a[nñ]os?)'
const measured = (units: string): RegExp => new RegExp(`\\d\\s?(?:-\\s?)?(?:${units})(?![\\p{L}\\p{N}])`, 'iu')
const lengths = 'mm|cm|m|km|m2|m²|metres?|meters?|metern?|kilomet\\p{L}*|miles?|inch(?:es)?|feet|ft|m[eè]tres?|metros?'
const speeds = 'km/h|kmh|mph|rpm|u/min|[kmg]bit/s|[kmg]bps|tr/min'

const price =
  /[€$£¥]|\b(?:eur|euros?|usd|dollars?|chf|francs?|franken|pounds?|pence|cents?|gbp|pesos?)\b|\b(?:free|no (?:extra )?(?:charge|cost|fee)|without (?:a )?(?:charge|fee)|for nothing|costs? nothing|included|complimentary|kostenlos|kostenfrei|gratis|umsonst|inklusive|inbegriffen|im preis|gratuit\w*|inclus\w*|compris\w*|gratuit[oa]s?|incluid[oa]s?|sin coste)\b/i
const time =
  /\b\d{1,2}(?:[:h]\d{2}(?!\d)|\.\d{2}(?= ?(?:uhr|h\b|am\b|pm\b|[-–]|to\b|bis\b|and\b|und\b))| ?h\b)|\b\d{1,2} ?(?:am|pm|a\.m|p\.m|uhr|heures)\b|\b(?:noon|midnight|midday|mittags?|mitternacht|midi|minuit|mediod[ií]a|medianoche)\b|\b(?:mon|tues?|wed|wednes|thu|thurs?|fri|sat|satur|sun)(?:days?)?\b|\b(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)s?\b|\b(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)s?\b|\b(?:lunes|martes|mi[eé]rcoles|jueves|viernes|s[aá]bados?|domingos?)\b|\b(?:january|february|march|april|may|june|july|august|september|october|november|december|januar|februar|m[aä]rz|mai|juni|juli|oktober|dezember|janvier|f[eé]vrier|mars|avril|juin|juillet|ao[uû]t|septembre|octobre|novembre|d[eé]cembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)\b|\b(?:daily|weekdays|weekends?|every (?:day|week|month|year|morning|evening)|t[aä]glich|werktags|jederzeit|tous les jours|chaque (?:jour|semaine|mois)|cada (?:d[ií]a|semana|mes)|todos los d[ií]as|always|any time|around the clock|closed|geschlossen|ferm[eé]|cerrado)\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b|\b\d{4}-\d{2}-\d{2}\b/i
const duration = new RegExp(
  `(?<!\\p{L})(?:${figure}(?:\\s?(?:-|–|to|bis|à|a)\\s?${figure})?|${single})[\\s-](?:(?!an? |per |a |each |every |the |pro |je |am |im |par |la |le |une? |por |al |una )\\p{L}+ )?${spanOfTime}(?!\\p{L})|\\b(?:overnight|lifetime|lifelong|unlimited|indefinitely|immediately|same day|next day|sofort|unbegrenzt|imm[eé]diatement|inmediatamente)\\b|\\b\\d+\\s?(?:h|min|s)\\b`,
  'iu',
)
const length = measured(lengths)
const shown: Readonly<Record<AnswerForm, RegExp>> = {
  price,
  time,
  duration,
  extent: new RegExp(`${duration.source}|${length.source}`, 'iu'),
  length,
  weight: measured('kg|g|lbs?|pounds?|kilos?|kilograms?|gramm?s?|tonn?e?s?|t|kilogramm|gramos|grammes'),
  volume: measured('l|ml|cl|lit(?:re|er)s?|litern?|litros?|gallons?|pints?|cups?|tassen'),
  data: new RegExp(
    `${measured('[kmgt]b|[kmgt]o|(?:giga|mega)bytes?|gigs?|gigas').source}|\\b(?:unlimited|unbegrenzt|illimit\\p{L}+|ilimitad\\p{L}+)`,
    'iu',
  ),
  speed: measured(speeds),
  // "How fast" asks for a speed, or for how soon.
  pace: new RegExp(`${measured(speeds).source}|${duration.source}`, 'iu'),
  power: measured('k?wh?|watts?|kilowatt\\p{L}*|vatios?|m?ah|va'),
  loudness: measured('db(?:\\(a\\))?|decibels?|dezibel'),
  temperature: /\d\s?(?:°|degrees?|grad|degr[eé]s|grados)/i,
  age: new RegExp(
    `(?<!\\p{L})(?:over|under|from|aged?|above|below|ab|über|unter|mit|dès|partir de|moins de|plus de|desde|mayores de|menores de|de)(?: \\p{L}+)? ${figure}(?!\\p{L})|${figure}[\\s-](?:years?|months?|weeks?|jahre?n?|monate?n?|wochen?|ans|mois|a[nñ]os|meses)`,
    'iu',
  ),
  distance: new RegExp(
    `${measured(`${lengths}|minutes?|min|minuten|minutos`).source}|${figure} ${spanOfTime}|\\b(?:next to|opposite|adjacent|gegenüber|nebenan)\\b`,
    'iu',
  ),
  percent: /\d\s?%|\bper ?cent\b|\bprozent\b|\bpour cent\b|\bpor ciento\b/i,
  number: new RegExp(
    `\\d|(?<!\\p{L})${figure}(?!\\p{L})|\\b(?:unlimited|none|unbegrenzt|illimit\\p{L}+|ilimitad\\p{L}+)`,
    'iu',
  ),
  phone: /\+?\d[\d ()/-]{4,}\d/,
  email: /\S@[^\s@]+\.[^\s@]/,
  place:
    /\b(?:at|in|on|behind|next to|opposite|near|beside|under|above|outside|inside|floor|street|level|building|bei|im|am|an|auf|hinter|neben|unter|gegen[uü]ber|stock|etage|[aà]|au|aux|dans|sur|derri[eè]re|pr[eè]s|sous|rue|en|sobre|detr[aá]s|junto|calle|planta)\b|\d/i,
  person:
    /\b(?:dr|mr|mrs|ms|prof|frau|herr|madame|monsieur|señora?)\b|\b(?:by|von|par|por) (?:the|our|an?|der|dem|den|einem?r?|le|la|les|un|une|el|los|una) \p{L}|\p{L}\p{Ll} \p{Lu}\p{Ll}+ \p{Lu}\p{Ll}+|\b(?:team|office|department|desk|technicians?|service|staff|hotline|b[uü]ro|abteilung|[eé]quipe|equipo|oficina|only|anyone|everyone|nobody|jeder|niemand|chacun|personne|todos|nadie)\b|\d{5}|@/u,
}

/** The form that a question asks for, `null` for none in particular. */
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

const lengthWords =
  'tall|high|wide|deep|thick|long|height|width|depth|length|hoch|breit|tief|lang|hauteur|largeur|altura|mide'
/** Words that only say what form of answer is wanted; who shows the form needs none of them. */
export const formWords: Readonly<Partial<Record<AnswerForm, RegExp>>> = {
  price:
    /^(?:price|prices|pricing|owe|cost|costs|fee|fees|charge|charges|charged|rate|rates|pay|paying|expensive|extra|kostet|kosten|preis|preise|gebuhr|bezahlen|zahlen|zahle|teuer|prix|tarif|tarifs|cout|coute|coutent|payer|paye|cher|precio|precios|cuesta|cuestan|pagar|pago|vale|tarifa|cobra|cobran)$/,
  time: /^(?:open|opens|opening|hours|hour|times|time|day|days|start|starts|begin|begins|late|early|latest|earliest|deadline|uhr|offen|offnet|offnungszeiten|geoffnet|beginnt|spatestens|horaires|horaire|heure|heures|ouvre|ouvert|ouverte|hora|horas|abre|abierto|abierta|horario|jour|dia)$/,
  duration:
    /^(?:long|last|lasts|take|takes|time|duration|quickly|soon|fast|days|weeks|months|years|hours|minutes|lang|lange|dauert|tage|wochen|monate|jahre|stunden|minuten|dure|temps|jours|semaines|mois|heures|tiempo|dura|tarda|dias|meses)$/,
  extent: new RegExp(`^(?:${lengthWords}|lasts?|takes?|dauert)$`),
  length: new RegExp(`^(?:${lengthWords})$`),
  distance: /^(?:far|close|near|away|weit|nah|entfernt|loin|distance|distancia|lejos)$/,
  weight: /^(?:weigh|weighs|weight|heavy|kg|kilos?|wiegt|schwer|gewicht|pese|poids|lourd|pesa|peso)$/,
  volume: /^(?:lit(?:re|er)s?|ml|litros)$/,
  data: /^(?:gb|mb|gigs?|gigabytes?|megabytes?|data|datenvolumen|daten|donnees|gigas?|datos)$/,
  speed: /^(?:speed|geschwindigkeit|vitesse|velocidad)$/,
  pace: /^(?:fast|quick|schnell)$/,
  power: /^(?:watts?|kwh|kilowatts?|power|electricity|energy|strom|luz|electricidad|use|uses|draw|draws|verbraucht)$/,
  loudness: /^(?:loud|noisy|quiet|silent|decibels?|laut|leise)$/,
  temperature: /^(?:hot|warm|cold|temperatures?|degrees|heiss|kalt|temperatur)$/,
  age: /^(?:old|age|alt|alter|edad)$/,
  percent: /^(?:rate|percent|percentage|prozent|taux|tipo)$/,
  phone: /^(?:phone|telephone|number|call|telefonnummer|telefon|numero|telefono|rufnummer)$/,
  email: /^(?:e?mail|address|adresse|correo|electronico)$/,
  place: /^(?:find|located|situated|address|liegt|befindet|finde|trouve|situe|encuentra|ubicado)$/,
}
