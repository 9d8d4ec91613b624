import type { GuardTool } from '@millforge/guard';
import { announcesAction } from '@millforge/guard/rescue';
import { expect, test } from 'vitest';

const TOOLS: readonly GuardTool[] = ['read_file', 'search_web', 'write_file', 'run_command'].map(
  (name) => ({ name, description: '', parameters: null }),
);

test.each([
  'Let me look up the record first.',
  'I will now open the file.',
  "I'll start by reading the configuration:",
  'Sure! Let me check the logs.',
  'The error is in the parser. Let me open the file to be sure.',
  'Okay, let me run the tests now…',
  'Ich werde jetzt die Datei öffnen.',
  'Gut. Lass mich zuerst die Konfiguration prüfen.',
  'Je vais maintenant lire le fichier.',
  "D'accord. Laissez-moi vérifier les journaux.",
  'Voy a revisar primero el archivo.',
  'Déjame buscar el documento.',
  'Vou agora verificar o arquivo.',
  'Fammi controllare il file.',
  '让我先打开文件。',
  '我现在将搜索相关内容。',
  'まずファイルを確認します。',
  'No luck so far, let me search the folder.',
  'Ich werde jetzt prüfen, warum der Test nicht läuft.',
  '首先，让我查看日志。',
  '首先我将读取配置文件。',
])('hears an announcement: %s', (text) => {
  expect(announcesAction(text, TOOLS)).toBe(true);
});

test.each([
  'Let me know if you need anything else.',
  'Let me explain how it works.',
  "I'll keep that in mind.",
  "I'll be happy to read it once you send it.",
  'I will read the book.',
  'Would you like me to open the file?',
  'If you wish, I will now open the file.',
  'Tomorrow I will run again.',
  'I have read the file. It says hello.',
  'She said: "Let me open the door."',
  '1. Open the file\n2. Let me read it',
  'Let me think.\n\nThe answer is 42.',
  'Ich werde das Buch lesen.',
  'Wenn du möchtest, werde ich jetzt die Datei öffnen.',
  'Lassen Sie mich wissen, ob das hilft.',
  'Je vais bien, merci.',
  "N'hésitez pas à me dire si vous voulez que je lise le fichier.",
  'Voy a estar aquí si me necesitas.',
  'Vou ficar por aqui se precisar.',
  '如果你愿意，我可以打开文件。',
  'ファイルを送っていただければ確認します。',
  'Now let me read between the lines.',
  'Let me look at this from another angle.',
  'I am now looking forward to it.',
  'Alright, let me get this party started!',
  'Let me use an analogy: a file is like a drawer.',
  'Okay, I will now search my memory for the file: it was in 1969.',
  'Lass mich das prüfen: 17 ist eine Primzahl.',
  'Lass mich kurz nachsehen, ob ich das richtig verstanden habe.',
  'Laissez-moi vérifier : 7 × 8 = 56.',
  'これから毎日本を読みます。',
  // What is promised for all time to come.
  "From now on I'll use shorter file names.",
  'Ich werde ab jetzt vor jeder Änderung zuerst die Tests ausführen.',
  "Désormais, je vais d'abord lancer les tests.",
  'À partir de maintenant, je vais utiliser des noms de fichiers plus courts.',
  'De ahora en adelante voy a escribir primero las pruebas.',
  'A partir de agora vou usar nomes de arquivos mais curtos.',
  "D'ora in poi devo usare nomi più corti per le note.",
  '好的，从现在起我会使用更短的文件名。',
  '今後はまずテストを実行します。',
  // What is not done.
  'Ich werde die Datei jetzt nicht ändern.',
  'Ich werde jetzt keine Dateien ändern.',
  'Now I need to look no further, since the logs say it all.',
  // What is said of words, and in words of a picture.
  'I\'ll now use the term "record" for a row of that table.',
  'Let me use an example from the documentation.',
  'Let me write that down as a short note.',
  'Lass mich die Tests als Beispiel verwenden.',
  'Ahora voy a usar la palabra "registro" para cada fila de la base de datos.',
  '现在我将使用“记录”一词来指代数据行。',
  // What somebody else does.
  'まず、このスクリプトは設定ファイルを読み込みます。',
  'まずサーバーがログを確認します。',
  '首先读取配置文件，然后启动服务，这就是它的流程。',
  '接下来要运行的测试一共有三个。',
])('takes for an answer: %s', (text) => {
  expect(announcesAction(text, TOOLS)).toBe(false);
});

test('an action that no tool performs is no announcement', () => {
  const only: readonly GuardTool[] = [{ name: 'send_mail', description: '', parameters: null }];
  expect(announcesAction('Let me open the file.', only)).toBe(false);
  expect(announcesAction('Let me open the file.', [])).toBe(false);
});
