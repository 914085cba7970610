import { parseWordList } from './word-list.ts'

export const SPANISH = parseWordList({
  backchannels:
    'mhm|mm|hm|ajá|aja|sí|si|vale|ok|okay|bien|muy bien|bueno|claro|ya|ya veo|entiendo|entendido|de acuerdo|perfecto|exacto|cierto|ah|ah sí|oh|por supuesto|genial|eso es|gracias|muchas gracias|absolutamente|tiene sentido|en serio|ah en serio|de verdad|ah de verdad|oh de verdad|estupendo|excelente|interesante|sin duda|totalmente|no hay problema|sin problema|no pasa nada|está bien|muy bien gracias|correcto|así es|sí sí|sí claro|en realidad sí|ah vale|ah ya|desde luego|comprendo',
  commands:
    'para|pare|alto|basta|espera|espere|un momento|un segundo|un minuto|no|en realidad|perdón|perdone|disculpe|disculpa|silencio|escuche|escucha|cancela|cancele|stop',
  fillers: 'eh|em|pues|o sea|a ver|digamos|mmm|es que|como|entonces|déjame ver',
  trailingWords:
    'y|e|o|u|pero|porque|si|cuando|que|quien|donde|como|con|sin|para|por|a|al|de|del|en|sobre|hacia|desde|hasta|el|la|los|las|un|una|unos|unas|mi|mis|su|sus|nuestro|quisiera|necesito|debo|y luego|entre|aunque|ni',
  questionStarts:
    'qué|que|cuándo|dónde|quién|por qué|cómo|cuánto|cuánta|cuántos|cuál|cuáles|puede|puedes|podría|tiene|tienes|hay|es|está|son|será|me puede',
  requestStarts:
    'por favor|diga|dime|dígame|deme|dame|muestre|envíe|reserve|cancele|compruebe|cambie|repita|repite|explique|ayude|llame|pase|busque|lea|ponga',
  shortAnswers:
    'sí|si|no|vale|claro|ok|okay|correcto|exacto|sí por favor|no gracias|gracias|por favor|no sé|nada|nada más|eso es todo|adiós',
  numbers:
    'cero|uno|una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|trece|catorce|quince|dieciséis|diecisiete|dieciocho|diecinueve|veinte|treinta|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa|cien|ciento|mil|doble|más|primero',
  months: 'enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre',
  days: 'hoy|mañana|ayer|pasado mañana|lunes|martes|miércoles|jueves|viernes|sábado|domingo',
  atWords: 'arroba',
  dotWords: 'punto',
  answerCues: {
    phone: 'número de teléfono|teléfono móvil|número de móvil|devolverle la llamada|número de celular',
    date: 'qué fecha|fecha de nacimiento|qué día|cumpleaños|nació',
    email: 'correo|email|e-mail',
    spelling: 'deletrear|deletree|deletrea',
    number: 'número|código|dígitos',
  },
  phrases: {
    fillers: 'Un momento.|Déjeme pensar.|A ver.|Un segundo.',
    toolFillers:
      'Un momento, por favor.|Sigo en ello.|Tarda un poco más, no cuelgue, por favor.|Gracias por esperar, ya casi está.',
    fallback: 'Perdone, no he podido responder. ¿Puede repetirlo?',
    backchannels: 'Ajá.|Entiendo.|Sí.',
    notUnderstood: 'Perdón, no lo he entendido.',
  },
})
