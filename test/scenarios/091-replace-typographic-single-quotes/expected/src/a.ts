const s = ‘it was’;
end
