/** People, travelling, staying and buying. The form of a list is said in `service-words.ts`. */
export const VISIT_WORDS = `
  baby child kid toddler children infant boy girl son daughter junior | kind kinder baby kleinkind tochter sohn
    junge mädchen | enfant bébé fils fille garçon | niño niña bebé hijo hija infantil | bambino bambina neonato
    figlio figlia | kind kinderen baby peuter zoon dochter ;
  adult grown-up parent guardian | erwachsener eltern elternteil | adulte parent | adulto padre madre | adulto
    genitore | volwassene ouder ;
  family relative wife husband partner spouse girlfriend boyfriend | familie partner ehefrau ehemann angehörige |
    famille conjoint mari femme partenaire | familia pareja marido mujer esposo | famiglia partner marito moglie |
    gezin familie partner man vrouw ;
  senior pensioner elderly retired old age | senior rentner rentnerin älter alter | senior retraité âgé | mayor
    jubilado anciano | anziano pensionato | senior gepensioneerd oudere ;
  student pupil learner trainee apprentice | student studierende schüler azubi auszubildende | étudiant élève
    apprenti | estudiante alumno aprendiz | studente allievo | student leerling ;
  dog pet puppy animal cat | hund haustier tier katze welpe vierbeiner | chien animal chat chiot | perro mascota
    animal gato cachorro | cane animale gatto cucciolo | hond huisdier dier kat puppy ;
  car park parking garage vehicle automobile drive space | auto parken parkplatz garage fahrzeug pkw tiefgarage
    stellplatz parkausweis abstellen | voiture parking garer stationnement garage véhicule | coche aparcar
    aparcamiento parking garaje vehículo | auto parcheggio parcheggiare garage macchina veicolo | auto parkeren
    parkeerplaats garage voertuig ;
  electric charge charging plug socket ev charger e-car battery | laden aufladen ladestation ladepunkt steckdose
    elektrisch elektroauto akku | recharger recharge borne électrique prise batterie | cargar recarga enchufe
    eléctrico batería cargador | ricaricare ricarica presa elettrico batteria | opladen laadpaal stopcontact
    elektrisch accu ;
  battery range charge distance far accu | akku batterie reichweite | batterie autonomie | batería autonomía alcance
    | batteria autonomia | accu batterij bereik ;
  bike bicycle cycle cycling | fahrrad rad radfahren | vélo bicyclette cycliste | bicicleta bici | bicicletta bici |
    fiets fietsen ;
  bus train tram metro station stop transport underground | bus bahn zug haltestelle bahnhof straßenbahn nahverkehr
    u-bahn | bus train tram métro gare arrêt transport | autobús tren tranvía metro estación parada transporte |
    autobus treno tram metro stazione fermata | bus trein tram metro halte station ;
  airport flight plane fly shuttle | flughafen flug fliegen flugzeug | aéroport vol avion navette | aeropuerto vuelo
    avión volar | aeroporto volo aereo navetta | luchthaven vlucht vliegtuig ;
  address location where directions street situated located find | adresse anschrift lage standort anfahrt straße |
    adresse lieu situé rue accès | dirección ubicación calle situado | indirizzo posizione via | adres locatie
    straat ligging ;
  branch location office site store shop outlet | filiale standort büro geschäftsstelle laden geschäft amt | agence
    succursale magasin bureau boutique | sucursal oficina tienda local | filiale ufficio negozio sede | filiaal
    kantoor winkel vestiging ;
  book booking reserve reservation reserved | buchen buchung reservieren reservierung | réserver réservation |
    reservar reserva | prenotare prenotazione | boeken boeking reserveren reservering ;
  appointment slot visit consultation meeting schedule | termin besuch sprechstunde terminvereinbarung | rendez-vous
    consultation visite | cita consulta visita | appuntamento visita consulto | afspraak consult bezoek ;
  change reschedule postpone move modify alter amend switch rebook | ändern umbuchen verschieben wechseln änderung
    verlegen | modifier changer déplacer reporter modification | cambiar modificar aplazar cambio | cambiare
    modificare spostare cambio | wijzigen veranderen verzetten omboeken ;
  miss missed no-show absent show | verpassen versäumen nichterscheinen | manquer rater absent | faltar perder
    ausente | mancare saltare assente | missen gemist ;
  penalty fine sanction punish bill surcharge | strafe bußgeld zuschlag vertragsstrafe mahngebühr | pénalité amende
    supplément | multa penalización recargo suplemento | penale multa supplemento | boete toeslag ;
  arrive arrival check-in checkin come reach early | ankunft ankommen anreise anreisen check-in einchecken | arriver
    arrivée | llegar llegada entrada | arrivare arrivo | aankomst aankomen inchecken ;
  leave departure check-out checkout depart | abreise abreisen auschecken check-out verlassen | partir départ
    quitter | salida salir marcharse | partire partenza | vertrek vertrekken uitchecken ;
  room bedroom chamber suite accommodation | zimmer raum unterkunft | chambre pièce hébergement | habitación cuarto
    alojamiento | camera stanza alloggio | kamer verblijf ;
  overnight night sleep stay accommodation | übernachten übernachtung nacht schlafen aufenthalt | nuit dormir séjour
    nuitée séjourner | noche dormir estancia pernoctar | notte dormire soggiorno pernottamento | nacht overnachten
    slapen verblijf ;
  bed mattress cot crib linen sheet blanket pillow | bett matratze bettwäsche decke kissen kinderbett | lit matelas
    drap couverture oreiller linge | cama colchón sábana manta almohada cuna | letto materasso lenzuolo coperta
    cuscino | bed matras lakens deken kussen ;
  towel robe bathrobe | handtuch bademantel handtücher | serviette peignoir | toalla albornoz | asciugamano
    accappatoio | handdoek badjas ;
  breakfast buffet morning | frühstück buffet frühstücksbuffet | déjeuner buffet | desayuno bufé | colazione buffet
    | ontbijt buffet ;
  eat food meal lunch dinner restaurant menu dine dish supper snack hungry | essen mahlzeit mittagessen abendessen
    restaurant speisekarte gericht | manger repas déjeuner dîner restaurant menu plat | comer comida cena almuerzo
    restaurante menú plato | mangiare pasto pranzo cena ristorante menù piatto | eten maaltijd lunch diner
    restaurant menu ;
  drink beverage water coffee tea juice wine beer alcohol thirsty | trinken getränk wasser kaffee tee saft wein bier
    | boire boisson eau café thé vin bière | beber bebida agua café té vino cerveza | bere bevanda acqua caffè tè
    vino birra | drinken drankje water koffie thee wijn bier ;
  vegetarian vegan diet gluten lactose plant allergy allergen intolerance dairy milk | vegetarisch vegan allergie
    gluten laktose unverträglichkeit | végétarien végan allergie gluten lactose régime | vegetariano vegano alergia
    gluten lactosa | vegetariano vegano allergia glutine lattosio | vegetarisch veganistisch allergie gluten lactose
    ;
  smoke smoking cigarette smoker tobacco | rauchen raucher zigarette | fumer fumeur cigarette | fumar fumador
    cigarrillo | fumare fumatore sigaretta | roken roker sigaret ;
  luggage baggage suitcase bag rucksack | gepäck koffer tasche rucksack | bagage valise sac | equipaje maleta bolsa
    | bagaglio valigia borsa | bagage koffer tas ;
  locker cabinet safe lock store storage keep | schließfach spind schrank tresor aufbewahren aufbewahrung lagern |
    casier coffre consigne conserver garder | taquilla caja guardar consigna | armadietto cassaforte deposito
    conservare | kluisje kluis opslag bewaren ;
  key card door entry access unlock | schlüssel tür zugang eintritt | clé porte accès entrée | llave puerta acceso
    entrada | chiave porta accesso ingresso | sleutel deur toegang ;
  lock childproof protect block secure prevent | sperre sperren kindersicherung sichern schützen verriegeln |
    verrouiller verrou bloquer protéger sécurité | bloquear bloqueo proteger seguro | bloccare blocco proteggere |
    slot vergrendelen blokkeren beveiligen ;
  ticket admission entrance entry pass visit | eintritt eintrittskarte ticket karte einlass | billet entrée ticket |
    entrada billete ticket | biglietto ingresso | kaartje ticket toegang entree ;
  tour guided guide visit excursion | führung tour besichtigung rundgang ausflug | visite guidée tour excursion |
    visita guiada tour excursión | visita guidata tour gita | rondleiding tour excursie ;
  photo picture photograph camera image film | foto bild fotografieren kamera aufnahme | photo image photographier
    appareil | foto imagen fotografía cámara | foto immagine fotografare | foto beeld camera fotograferen ;
  conference meeting seminar event venue hall function | tagung konferenz besprechung veranstaltung saal seminar |
    réunion conférence séminaire salle événement | reunión conferencia sala evento congreso | riunione conferenza
    sala evento | vergadering conferentie zaal evenement ;
  seat capacity chair people persons guests fit hold accommodate | platz sitzplatz stuhl personen fassen plätze |
    place siège chaise personnes capacité | asiento silla plazas personas aforo capacidad | posto sedia persone
    capienza | zitplaats stoel plaatsen personen ;
  group party team crowd | gruppe team | groupe équipe | grupo equipo | gruppo squadra | groep team ;
  large big size small tall dimension measure fit medium height | groß größe klein maß abmessung höhe | grand taille
    petit dimension mesure hauteur | grande tamaño talla pequeño medida dimensión | grande taglia misura piccolo
    dimensione | groot maat klein afmeting hoogte ;
  length long wide width high height deep depth dimension | länge lang breit breite hoch höhe tief tiefe | longueur
    long large largeur haut hauteur profondeur | largo ancho alto longitud altura profundidad | lunghezza lungo
    larghezza altezza profondità | lengte lang breed hoogte diepte ;
  carry load maximum limit payload bear support | tragen last maximal belastung zuladung | porter charge maximum
    limite | llevar carga máximo límite | portare carico massimo limite | dragen last maximum belasting ;
  colour color shade paint blue red green black white grey silver | farbe farben blau rot grün schwarz weiß grau |
    couleur bleu rouge vert noir blanc gris | color azul rojo verde negro blanco gris | colore blu rosso verde nero
    bianco grigio | kleur blauw rood groen zwart wit grijs ;
  stock available availability left sold-out supply inventory | lager verfügbar vorrätig lieferbar verfügbarkeit
    bestand | stock disponible disponibilité | stock disponible existencias disponibilidad | disponibile
    disponibilità magazzino | voorraad beschikbaar leverbaar ;
  buy purchase order shop sell | kaufen bestellen kauf bestellung erwerben verkaufen | acheter commander achat
    commande vendre | comprar pedir compra pedido vender | comprare acquistare ordinare acquisto vendere | kopen
    bestellen aankoop bestelling verkopen ;
  deliver delivery ship shipping shipment post courier parcel package | liefern lieferung versand versenden paket
    zustellung | livrer livraison expédition colis envoi | entregar entrega envío paquete enviar | consegnare
    consegna spedizione pacco | leveren levering bezorging verzenden pakket ;
  collect pick-up pickup fetch ready prepared | abholen abholung bereit fertig | retirer récupérer prêt enlèvement |
    recoger recogida listo | ritirare ritiro pronto | ophalen afhalen klaar ;
  return exchange replace replacement swap send-back | rückgabe umtausch umtauschen ersetzen ersatz zurückgeben |
    retourner échanger remplacer échange retour remplacement | devolver cambiar devolución reemplazo sustituir |
    restituire cambiare sostituire reso sostituzione | retour ruilen vervangen terugsturen ;
`
