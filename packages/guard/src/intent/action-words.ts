/** The kinds of actions. `look` fits every tool that finds something out, `call` every tool. */
export const ACTION_KINDS = [
  'read',
  'search',
  'list',
  'write',
  'run',
  'fetch',
  'look',
  'call',
] as const;

/** A kind of action, as far as the name of a tool tells. */
export type ActionKind = (typeof ACTION_KINDS)[number];

/** Words of tool names by the kind of action they promise; of `look` and `call` every name will do. */
export const TOOL_WORDS: { readonly [Kind in ActionKind]: string } = {
  read: 'read open view cat show load inspect',
  search: 'search find grep lookup query look',
  list: 'list ls dir tree glob',
  write: 'write edit create update save patch replace append insert add',
  run: 'run exec execute bash shell command terminal test build',
  fetch: 'get fetch download retrieve request http browse check identify',
  look: '',
  call: '',
};

/**
 * How one says in each language that one acts at once; in any other language a text is an answer.
 *
 * One paragraph each, of five lines: beginnings that announce by themselves, beginnings that only speak of the
 * future and need a word of now, words of now, what may stand between the beginning and the verb, and the verbs
 * of every kind in the order of `ACTION_KINDS` with slashes between. A sixth line says that words are written
 * without spaces.
 */
export const ACTING_LANGUAGES: readonly string[] = `
let me
i['’]?ll|i will|i am going to|i['’]m going to|i need to|i['’]m|i am
now|first|next|start by|begin by|go ahead|quickly|right away
(?: (?:now|first|then|next|just|quickly|also|start by|begin by|go ahead and))*
open|read|view|opening|reading/search|find|grep|query|searching/list|listing/write|edit|create|update|modify|fix|patch|replace|save|editing|updating/run|execute|test|build|running|executing/get|fetch|download|retrieve|pull up|request|identify|fetching|retrieving/check|look|take a look|inspect|examine|review|verify|checking|looking|examining/call|use|invoke|calling|using

lass mich|lassen sie mich
ich werde|ich will|ich muss
jetzt|nun|zuerst|zunächst|als erstes|als nächstes|kurz
(?: (?:(?!nicht|kein)[^.!?]){0,80}?)?
öffnen|lesen/suchen|durchsuchen/auflisten/schreiben|bearbeiten|anlegen|erstellen|ändern|aktualisieren|speichern/ausführen|starten|testen|bauen/abrufen|holen|herunterladen|abfragen/ansehen|anschauen|nachsehen|nachschlagen|untersuchen|prüfen|überprüfen/aufrufen|verwenden|benutzen

laissez-moi|laisse-moi
je vais|je dois
maintenant|d[’']abord|tout de suite|commencer par
(?: (?:maintenant|d[’']abord|tout de suite|commencer par))*
ouvrir|lire/chercher|rechercher/lister|énumérer/écrire|modifier|créer|mettre à jour|enregistrer|corriger/exécuter|lancer|tester/récupérer|télécharger|obtenir/vérifier|examiner|consulter|regarder|inspecter/appeler|utiliser

déjame|déjeme|permíteme|permítame
voy a|tengo que|debo
ahora|primero|a continuación
(?: (?:ahora|primero))*
abrir|leer/buscar/listar|enumerar/escribir|editar|crear|modificar|actualizar|guardar|corregir/ejecutar|lanzar|probar/obtener|descargar/revisar|examinar|consultar|comprobar|verificar/llamar|usar|utilizar

deixe-me|deixa-me|deixe eu|deixa eu
vou|preciso
agora|primeiro|em seguida
(?: (?:agora|primeiro))*
abrir|ler/buscar|procurar|pesquisar/listar/escrever|editar|criar|modificar|atualizar|salvar|guardar|corrigir/executar|rodar|testar/obter|baixar/examinar|consultar|verificar|conferir/chamar|usar|utilizar

fammi|lasciami|lasciatemi|mi lasci
sto per|devo|ora|adesso
ora|adesso|prima|subito|per prima cosa
(?: (?:ora|adesso|prima|subito))*
aprire|leggere|apro|leggo/cercare|cerco/elencare|elenco/scrivere|modificare|creare|aggiornare|salvare|correggere/eseguire|lanciare|testare|eseguo/recuperare|scaricare|ottenere/esaminare|controllare|verificare|controllo|guardare/chiamare|usare|utilizzare

让我(?:先|来|现在)?|我来|我这就|现在我?来
我(?:现在)?(?:将|会|要)(?:先)?|现在我?(?:将|要)|首先(?:我|来|将|要)+|接下来我?(?:将|要)?
现在|首先|先|接下来|马上
(?:先|来|使用)?
打开|读取|阅读/搜索|查找|查询/列出/写入|编辑|创建|修改|更新|保存/运行|执行|测试/获取|下载/查看|检查|看看|看一下/调用|使用
unspaced

これから|今から|まず|まずは
では|それでは|次に
今|まず|すぐ|これから
[^。！？はが]{0,40}?
(?:開き|読み|読み込み)ます/(?:検索し|探し)ます/(?:一覧表示し|列挙し)ます/(?:書き込み|編集し|作成し|更新し|保存し)ます/(?:実行し|テストし)ます/(?:取得し|ダウンロードし)ます/(?:確認し|調べ|調べてみ)ます/(?:呼び出し|使い|使用し)ます
unspaced
`
  .trim()
  .split('\n\n');
