import { parseWordList } from './word-list.ts'

export const ITALIAN = parseWordList({
  backchannels:
    "mhm|mm|hm|sì|si|ok|okay|va bene|bene|certo|certamente|capisco|ho capito|capito|d'accordo|esatto|giusto|perfetto|ah|ah sì|oh|già|ecco|ottimo|chiaro|vero|grazie|grazie mille|assolutamente|ha senso|davvero|ah davvero|oh davvero|sul serio|fantastico|eccellente|interessante|sicuro|sicuramente|senz'altro|nessun problema|non c'è problema|tutto chiaro|molto bene|benissimo|sì sì|sì certo|in realtà sì|ah ok|ah capisco|infatti|proprio così|bello",
  commands:
    'fermo|ferma|fermati|si fermi|basta|aspetta|aspetti|un momento|un attimo|un secondo|un minuto|no|in realtà|scusi|scusa|mi scusi|silenzio|senta|ascolti|annulla|stop|alt',
  fillers: 'eh|ehm|uhm|mah|beh|allora|cioè|diciamo|vediamo|tipo|dunque|come dire',
  trailingWords:
    "e|ed|o|oppure|ma|però|perché|se|quando|che|chi|dove|come|con|senza|per|a|al|alla|ai|di|del|della|dei|delle|in|nel|nella|sul|sulla|da|dal|dalla|il|lo|la|i|gli|le|un|uno|una|l'|potrei|vorrei|e poi|tra|fra|fino|anche se",
  questionStarts:
    "che|cosa|che cosa|quando|dove|dov'è|chi|perché|come|com'è|quanto|quanta|quanti|quale|quali|può|puoi|potrebbe|potete|ha|hai|avete|è|sono|c'è|ci sono|posso",
  requestStarts:
    'per favore|dica|dimmi|mi dica|dia|mostri|mandi|invii|prenoti|annulli|controlli|cambi|ripeta|ripeti|spieghi|aiuti|chiami|passi|cerchi|legga|metta',
  shortAnswers:
    'sì|si|no|certo|ok|okay|va bene|esatto|giusto|corretto|sì grazie|no grazie|grazie|per favore|non lo so|niente|nulla|è tutto|arrivederci',
  numbers:
    'zero|uno|una|due|tre|quattro|cinque|sei|sette|otto|nove|dieci|undici|dodici|tredici|quattordici|quindici|sedici|diciassette|diciotto|diciannove|venti|trenta|quaranta|cinquanta|sessanta|settanta|ottanta|novanta|cento|mille|doppio|più|primo',
  months: 'gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre',
  days: 'oggi|domani|ieri|dopodomani|lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica',
  atWords: 'chiocciola|at',
  dotWords: 'punto',
  answerCues: {
    phone: 'numero di telefono|numero di cellulare|richiamarla|recapito',
    date: 'che data|quale data|data di nascita|che giorno|quale giorno|compleanno|nato|nata',
    email: 'e-mail|email|posta elettronica',
    spelling: 'compitare|lettera per lettera|spelling',
    number: 'numero|codice|cifre',
  },
  phrases: {
    fillers: 'Un momento.|Mi faccia pensare.|Vediamo.|Un attimo.',
    toolFillers:
      'Un momento, per favore.|Ci sto ancora lavorando.|Ci vuole ancora un poco, resti in linea.|Grazie della pazienza, ho quasi fatto.',
    fallback: 'Mi scusi, non sono riuscito a rispondere. Può ripetere?',
    backchannels: 'Mhm.|Capisco.|Sì.',
    notUnderstood: 'Scusi, non ho capito.',
  },
})
